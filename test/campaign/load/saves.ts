import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../plan/random.ts'
import type { Caller } from './caller.ts'
import type { Tenant } from './tenant.ts'

export type Work = { tenant: Tenant; caller: Caller; random: Random; isStopping: () => boolean }

const PAUSE_MS = 2_500
/** Between two saves of one asset: two in one minute would overwrite each other. */
const APART_MS = 180_000

/** Operators who save locations of assets until they are told to stop. */
export async function saveLocations({ tenant, caller, random, isStopping }: Work): Promise<void> {
  const savedAt = new Map<number, number>()
  while (!isStopping()) {
    await wait(PAUSE_MS)
    const rested = [...tenant.ledger.assets.values()].filter(
      ({ id }) => (savedAt.get(id) ?? 0) < Date.now() - APART_MS,
    )
    if (rested.length === 0) continue
    const assets = [...new Set([random.pick(rested), random.pick(rested)])]
    const location = random.pick(tenant.locations)
    const answer = await caller.call({
      operation: 'save',
      needs: ['tracking', 'catalog', 'broker'],
      method: 'POST',
      path: '/api/v1/inventory/save',
      token: tenant.keyToken,
      body: { asset_identifiers: assets.map(({ key }) => key), location_identifier: location.key },
      expect: [201],
    })
    const { startedAtMs: sentAtMs, endedAtMs } = answer
    const savedAtMs =
      answer.status === 201 ? Date.parse((answer.data as { timestamp: string }).timestamp) : undefined
    for (const asset of assets) {
      savedAt.set(asset.id, Date.now())
      asset.saves.push({
        locationId: location.id,
        sentAtMs,
        endedAtMs,
        ...(savedAtMs !== undefined && { savedAtMs }),
      })
    }
  }
}

import type { NatsConnection } from 'nats'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { READER, assetIdOf, tagValueOf } from './warehouse.ts'

/** The organization whose movements are timed; it has an asset for each of them. */
export const MOVING_ORG = 99

/** Asked more often, the report would be the load. */
const REPORTS_PER_SECOND = 20
const GIVE_UP_MS = 10_000

/** `total`: movements. */
export type Pace = { perSecond: number; total: number }
type Delays = { toEvents: number[]; toReport: number[] }
export type Ask = (assetId: number) => Promise<Row | undefined>

/**
 * Publishes one read per message at a fixed rate, each the first of another asset, and measures the milliseconds of
 * each movement to EVENTS, and of a sample to the report. Assets are numbered from `first`.
 */
export async function move(
  nc: NatsConnection,
  ask: Ask,
  { perSecond, total }: Pace,
  first: number,
): Promise<Delays> {
  const org = MOVING_ORG
  const sentAt = new Map<number, number>()
  const toEvents: number[] = []
  const toReport: Promise<number>[] = []
  const events = nc.subscribe(`events.asset-moved.${org}`, {
    callback: (_, message) => {
      const { asset } = message.json<{ asset: { id: number } }>()
      const at = sentAt.get(asset.id)
      if (at !== undefined) toEvents.push(performance.now() - at)
      sentAt.delete(asset.id)
    },
  })
  await nc.flush()
  const everyNth = Math.ceil(perSecond / REPORTS_PER_SECOND)
  const started = performance.now()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond))
    for (; sent < due; sent += 1) {
      const body = { reads: [{ tag: { type: 'rfid', value: tagValueOf(org, first + sent) }, antenna: 2 }] }
      const id = assetIdOf(org, first + sent)
      sentAt.set(id, performance.now())
      nc.publish(`scans.${org}.${READER}.canonical`, JSON.stringify(body))
      if (sent % everyNth === 0) toReport.push(untilReported(ask, id))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const reported = await Promise.all(toReport)
  await untilAll(() => total - toEvents.length)
  events.unsubscribe()
  return { toEvents, toReport: reported }
}

type Row = { location_external_key: string | null }

/** Calls tracking directly, with a principal signed like the gateway's. */
export async function reportOf(stack: Stack, orgId: number): Promise<Ask> {
  const principal = { kind: 'key' as const, orgId, scopes: ['scans:read' as const], keyId: 'bench' }
  const headers = await headersSignedWith(stack.secrets.principal_private_key, principal, 'tracking')
  return async (assetId) => {
    const url = `${stack.urls.api.tracking}/api/v1/reports/asset-locations?asset_id=${assetId}`
    const { data } = (await (await fetch(url, { headers })).json()) as { data: Row[] }
    return data[0]
  }
}

async function untilReported(ask: Ask, id: number): Promise<number> {
  const started = performance.now()
  while ((await ask(id))?.location_external_key !== 'DOCK-2') {
    if (performance.now() - started > GIVE_UP_MS) throw new Error('a scan was not in the report after 10 s')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return performance.now() - started
}

async function untilAll(missing: () => number): Promise<void> {
  const started = performance.now()
  while (missing() > 0) {
    if (performance.now() - started > GIVE_UP_MS)
      throw new Error(`${missing()} movements were missing in EVENTS after 10 s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

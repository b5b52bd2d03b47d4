import type { NatsConnection } from 'nats'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { READER, assetIdOf, tagValueOf } from './warehouse.ts'

export type Delays = { toEvents: number[]; toReport: number[]; perSecond: number }

const EVERY_NTH_IN_REPORT = 50
const GIVE_UP_MS = 10_000

/**
 * Publishes one read a message, by the clock, each of another asset that has just changed its dock, and notes in
 * milliseconds how long each movement took to EVENTS and, of a sample, to the report. Assets are used in turn, so
 * there must be more than `perSecond` × 60 of them: one movement per asset and minute.
 */
export async function measureDelay(
  stack: Stack,
  nc: NatsConnection,
  { org, assets, perSecond, seconds }: { org: number; assets: number; perSecond: number; seconds: number },
): Promise<Delays> {
  const sentAt = new Map<number, number>()
  const toEvents: number[] = []
  const toReport: Promise<number>[] = []
  const ask = await reportOf(stack, org)
  const events = nc.subscribe(`events.asset-moved.${org}`, {
    callback: (_, message) => {
      const { asset } = message.json<{ asset: { id: number } }>()
      const at = sentAt.get(asset.id)
      if (at !== undefined) toEvents.push(performance.now() - at)
      sentAt.delete(asset.id)
    },
  })
  await nc.flush()
  const total = perSecond * seconds
  if (total > assets) throw new Error(`${total} movements need as many assets`)
  const started = performance.now()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond))
    for (; sent < due; sent += 1) {
      const body = { reads: [{ tag: { type: 'rfid', value: tagValueOf(org, sent) }, antenna: 2 }] }
      const id = assetIdOf(org, sent)
      sentAt.set(id, performance.now())
      nc.publish(`scans.${org}.${READER}.canonical`, JSON.stringify(body))
      if (sent % EVERY_NTH_IN_REPORT === 0) toReport.push(untilReported(ask, id))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const took = (performance.now() - started) / 1000
  const reported = await Promise.all(toReport)
  await untilAll(() => toEvents.length === total)
  events.unsubscribe()
  return { toEvents, toReport: reported, perSecond: total / took }
}

type Row = { location_external_key: string | null }

/** Asks tracking itself, with a principal signed as the gateway does. */
async function reportOf(stack: Stack, orgId: number) {
  const principal = { kind: 'key' as const, orgId, scopes: ['scans:read' as const], keyId: 'bench' }
  const headers = await headersSignedWith(stack.secrets.principal_private_key, principal)
  return async (assetId: number): Promise<Row | undefined> => {
    const url = `${stack.urls.api.tracking}/api/v1/reports/asset-locations?asset_id=${assetId}`
    const { data } = (await (await fetch(url, { headers })).json()) as { data: Row[] }
    return data[0]
  }
}

async function untilReported(ask: (id: number) => Promise<Row | undefined>, id: number): Promise<number> {
  const started = performance.now()
  while ((await ask(id))?.location_external_key !== 'DOCK-2') {
    if (performance.now() - started > GIVE_UP_MS) throw new Error('a scan was not in the report after 10 s')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return performance.now() - started
}

async function untilAll(there: () => boolean): Promise<void> {
  const started = performance.now()
  while (!there()) {
    if (performance.now() - started > GIVE_UP_MS)
      throw new Error('movements were missing in EVENTS after 10 s')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

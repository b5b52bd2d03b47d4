import { unwrap } from '@whereabouts/client/client'
import { connect } from 'nats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  readerViews,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const ASSETS = 300
const MINUTE = 60_000
/** Reads of one message, as many as the format allows. */
const READS = 1_000
/** Each asset once a minute, beginning twenty hours ago. */
const HOURS_OLD = { reads: 120_000, from: 20 * 60 * MINUTE }
const DAYS_OLD = { reads: 30_000, from: 3 * 24 * 60 * MINUTE }
const STORED_WITHIN_MS = 90_000

const keyOf = (i: number) => `CRATE-${i}`

type Read = { asset: number; at?: number }

/** Publishes like a reader that has just reconnected: oldest first, as fast as the broker accepts. */
async function publish(org: Organization, reader: string, reads: readonly Read[]): Promise<void> {
  const link = await connectReader(system.stack, org.readerKey, 'nats')
  for (let from = 0; from < reads.length; from += READS) {
    const message = reads.slice(from, from + READS).map(({ asset, at }) => ({
      tag: { type: 'barcode', value: keyOf(asset) },
      read_at: at === undefined ? undefined : new Date(at).toISOString(),
    }))
    await link.publish(org.id, reader, 'canonical', Buffer.from(JSON.stringify({ reads: message })))
  }
  await link.close()
}

/** All assets in each minute. */
const backlog = ({ reads, from }: { reads: number; from: number }, now: number): Read[] =>
  Array.from({ length: reads }, (_, i) => ({
    asset: i % ASSETS,
    at: now - from + Math.floor(i / ASSETS) * MINUTE,
  }))

/** The reader's health counts reads when they are stored. */
const untilStored = (org: Organization, reader: string, reads: number) =>
  vi.waitUntil(
    async () => {
      const found = (await readerViews(org)).find(({ reader_key }) => reader_key === reader)
      return found?.health.reads === reads && found.health
    },
    { timeout: STORED_WITHIN_MS, interval: 250 },
  )

async function countAt(org: Organization, location: string): Promise<number> {
  const query = { location_external_key: [location] }
  return unwrap(await org.integrator.GET('/api/v1/reports/asset-locations', { params: { query } }))
    .total_count
}

async function historyOf(org: Organization, asset_id: number, query: { from?: string; to?: string }) {
  const params = { path: { asset_id }, query: { ...query, limit: 200 } }
  return unwrap(await org.integrator.GET('/api/v1/assets/{asset_id}/history', { params }))
}

async function eventCount(orgId: number): Promise<number> {
  const { urls, secrets } = system.stack
  const nc = await connect({ servers: urls.nats, user: 'services', pass: secrets.nats.services_password })
  const subject = `events.asset-moved.${orgId}`
  const info = await (await nc.jetstreamManager()).streams.info('EVENTS', { subjects_filter: subject })
  await nc.close()
  return info.state.subjects?.[subject] ?? 0
}

async function site() {
  const org = await newOrganization(system.stack, 'backlog')
  const [dock, shelf] = [await newLocation(org, 'Dock', 'DOCK'), await newLocation(org, 'Shelf', 'SHELF')]
  const readers = { gate: dock, attic: dock, portal: shelf }
  for (const [key, locationId] of Object.entries(readers))
    await newReader(org, { key, format: 'canonical', locationId, antennas: 1 })
  const ids: number[] = []
  for (let i = 0; i < ASSETS; i += 1)
    ids.push((await newAsset(org, keyOf(i), [{ tag_type: 'barcode', value: keyOf(i) }])).id)
  return { org, ids }
}

test(
  'D8.6 D8.7 a reader that reconnects with 150 000 old reads fills history and causes no movements and events',
  { timeout: 240_000 },
  async () => {
    const { org, ids } = await site()
    await publish(org, 'gate', ids.map((_, asset) => ({ asset }))) // oxfmt-ignore
    await untilStored(org, 'gate', ASSETS)
    await vi.waitUntil(async () => (await eventCount(org.id)) === ASSETS, { timeout: 20_000 })
    const [before] = (await historyOf(org, ids[0] ?? 0, {})).data

    const now = Date.now()
    await publish(org, 'portal', backlog(HOURS_OLD, now))
    await publish(org, 'attic', backlog(DAYS_OLD, now))
    const publishedMs = Date.now() - now
    await untilStored(org, 'portal', HOURS_OLD.reads)
    const { reads_clock_skewed } = await untilStored(org, 'attic', DAYS_OLD.reads)
    console.log(`150 000 reads published in ${publishedMs} ms, stored after ${Date.now() - now} ms`)

    expect(await countAt(org, 'DOCK')).toBe(ASSETS)
    expect(await countAt(org, 'SHELF')).toBe(0)
    expect(await eventCount(org.id)).toBe(ASSETS)

    // Hours old: one row per minute. Days old: the time of receipt counts, and the assets are at that location already.
    expect(reads_clock_skewed).toBe(DAYS_OLD.reads)
    const [first, middle, last] = [ids[0] ?? 0, ids[ASSETS / 2] ?? 0, ids[ASSETS - 1] ?? 0]
    const [from, to] = [new Date(now - HOURS_OLD.from), new Date(now - 60 * MINUTE)]
    for (const id of [first, middle, last]) {
      const old = await historyOf(org, id, { from: from.toISOString(), to: to.toISOString() })
      expect(old.total_count).toBe(HOURS_OLD.reads / ASSETS)
      expect(new Set(old.data.map((row) => row.location_external_key))).toEqual(new Set(['SHELF']))
      const recent = await historyOf(org, id, { from: to.toISOString() })
      expect(new Set(recent.data.map((row) => row.location_external_key))).toEqual(new Set(['DOCK']))
      const older = await historyOf(org, id, { to: new Date(now - HOURS_OLD.from - 1).toISOString() })
      expect(older.total_count).toBe(0)
    }
    const rows = (await historyOf(org, first, { from: to.toISOString() })).data
    expect(rows.at(-1)?.event_observed_at).toBe(before?.event_observed_at)
  },
)

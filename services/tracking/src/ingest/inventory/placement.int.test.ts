import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import {
  TypedAsset,
  type AssetState,
  type LocationState,
} from '@whereabouts/contracts/messages/catalog-state'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { describe, expect } from 'vitest'
import { minuteOf, type Observation } from '../../positions/observation.ts'
import { store } from '../../../test/store.ts'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import { listAssetsAt } from '../../where/reports/assets-at/assets-at.responder.ts'
import { findCurrentLocations } from '../../where/reports/current-locations/current-locations.responder.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { recordPlacement } from './placement.ts'
import { placementsConsumer } from './placements.consumer.ts'
import { readBy } from '../../../test/read-by.ts'

/** Ten seconds into a minute of the recent past. */
const NOW = Math.floor(Date.now() / 60_000) * 60_000 - 3_590_000
const MINUTE = 60_000
const iso = (ms: number) => new Date(ms).toISOString()

const placed = (asset: AssetState, location: LocationState, at: number): AssetPlaced => ({
  org_id: asset.org_id,
  asset: TypedAsset.parse(asset),
  location,
  placed_at: iso(at),
})

/** `at`: when tracking handles it. */
const depsAt = ({ tenants, ingest: { view, resolver, rulesOf, book } }: Tracking, at: number) => ({
  db: tenants,
  view,
  resolver,
  wakeOutbox: () => undefined,
  rulesOf,
  book,
  now: () => at,
})
const promptly = (tracking: Tracking, message: AssetPlaced) =>
  recordPlacement(depsAt(tracking, Date.parse(message.placed_at) + 100), message)
const late = (tracking: Tracking, message: AssetPlaced) =>
  recordPlacement(depsAt(tracking, Date.parse(message.placed_at) + 3_600_000), message)

const read = (asset: AssetState, location: LocationState | null, at: number): Observation => ({
  orgId: asset.org_id,
  assetId: asset.id,
  minute: minuteOf(at),
  observedAtMs: at,
  locationId: location && location.id,
  ...readBy('gate'),
})

async function scene(tracking: Tracking) {
  const { catalog } = tracking
  const asset = catalog.asset(1, 'Box')
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  await tracking.project()
  const seen = (...rows: Observation[]) => store(tracking.db, tracking.view, rows)
  return { asset, dock, shelf, seen }
}

/** Instant and location of every history row, oldest first; then those of the position, with the start of the dwell. */
async function known(tracking: Tracking, { id }: AssetState) {
  const places = new Map(tracking.catalog.locations.map((l) => [l.id, l.name]))
  const of = (row: { observed_at: string; location_id: number | null }) => [
    row.observed_at,
    places.get(row.location_id ?? 0),
  ]
  const { db } = tracking
  const rows = await db.selectFrom('scan').selectAll().where('asset_id', '=', id).orderBy('minute').execute()
  const position = await db
    .selectFrom('position')
    .selectAll()
    .where('asset_id', '=', id)
    .executeTakeFirstOrThrow()
  return { history: rows.map(of), position: [...of(position), position.dwell_started_at] }
}

async function moves(tracking: Tracking) {
  const rows = await tracking.db
    .selectFrom('outbox')
    .select('payload')
    .where('subject', 'not like', 'audit.%')
    .orderBy('id')
    .execute()
  return rows.map(({ payload }) => {
    const { kind, from_location, to_location } = payload as AssetMoved
    return [kind, from_location?.name, to_location.name]
  })
}

describe('D1.6 a location that came with an asset', () => {
  test('is a save, in report, history and one event', async ({ tracking }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    await seen(read(asset, shelf, NOW - 5_000))
    await promptly(tracking, placed(asset, dock, NOW))
    const { data } = (await tracking.call('GET', '/reports/asset-locations')).json()
    expect(data).toMatchObject([
      { asset_external_key: 'BOX', location_external_key: 'DOCK', asset_last_seen: iso(NOW) },
    ])
    expect(await known(tracking, asset)).toEqual({
      history: [[iso(NOW), 'Dock']],
      position: [iso(NOW), 'Dock', iso(NOW)],
    })
    expect(await moves(tracking)).toEqual([
      ['scan', undefined, 'Shelf'],
      ['save', 'Shelf', 'Dock'],
    ])
  })

  test('is in the report at once, also before the states of asset and location arrive', async ({
    tracking,
  }) => {
    const [asset, dock] = [tracking.catalog.asset(1, 'New'), tracking.catalog.location(1, 'Dock')]
    await promptly(tracking, placed(asset, dock, NOW))
    const { data } = (await tracking.call('GET', '/reports/asset-locations')).json()
    expect(data).toMatchObject([{ asset_external_key: 'NEW', location_external_key: 'DOCK' }])
    expect(await moves(tracking)).toEqual([['save', undefined, 'Dock']])
    expect(tracking.catalog.requests).toEqual([])
    const reply = await findCurrentLocations(tracking.tenants, { org_id: 1, asset_ids: [asset.id] })
    expect(reply.locations).toMatchObject([{ asset_id: asset.id, location_id: dock.id }])
    expect(await listAssetsAt(tracking.tenants, { org_id: 1, location_ids: [dock.id] })).toEqual({
      asset_ids: [asset.id],
    })
  })

  test('is recorded once, although the request, the message and its redelivery arrive at once', async ({
    tracking,
  }) => {
    const { asset, dock } = await scene(tracking)
    const message = placed(asset, dock, NOW)
    await Promise.all([
      promptly(tracking, message),
      late(tracking, message),
      promptly(tracking, message),
      late(tracking, message),
    ])
    expect(await known(tracking, asset)).toMatchObject({ history: [[iso(NOW), 'Dock']] })
    expect(await moves(tracking)).toEqual([['save', undefined, 'Dock']])
  })

  test.for([
    { name: 'the same minute', ahead: 15_000 },
    { name: 'the next minute', ahead: 55_000 },
  ])(
    'ADR 20 is visible although a fast clock left a row in $name, and changes nothing when repeated',
    async ({ ahead }, { tracking }) => {
      const { asset, dock, shelf, seen } = await scene(tracking)
      await seen(read(asset, shelf, NOW + ahead))
      await promptly(tracking, placed(asset, dock, NOW))
      const after = await known(tracking, asset)
      expect(after.position).toEqual([iso(NOW + ahead + 1), 'Dock', iso(NOW + ahead + 1)])
      await seen(read(asset, shelf, NOW + 3 * MINUTE))
      const { history, position } = await known(tracking, asset)
      await late(tracking, placed(asset, dock, NOW))
      await promptly(tracking, placed(asset, dock, NOW))
      expect(await known(tracking, asset)).toEqual({ history, position })
      expect(await moves(tracking)).toEqual([
        ['scan', undefined, 'Shelf'],
        ['save', 'Shelf', 'Dock'],
        ['scan', 'Dock', 'Shelf'],
      ])
    },
  )

  test('of two in one minute, the later one counts, in either order of arrival', async ({ tracking }) => {
    const { asset, dock, shelf } = await scene(tracking)
    await late(tracking, placed(asset, shelf, NOW + 2_000))
    await late(tracking, placed(asset, dock, NOW))
    await promptly(tracking, placed(asset, dock, NOW))
    expect(await known(tracking, asset)).toMatchObject({ history: [[iso(NOW + 2_000), 'Shelf']] })
    expect(await moves(tracking)).toEqual([['save', undefined, 'Shelf']])
  })
})

describe('D8.7 a late one', () => {
  test('moves an asset that was not seen since, and only once', async ({ tracking }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    await seen(read(asset, shelf, NOW - 2 * MINUTE))
    await late(tracking, placed(asset, dock, NOW))
    await late(tracking, placed(asset, dock, NOW))
    expect((await known(tracking, asset)).position).toEqual([iso(NOW), 'Dock', iso(NOW)])
    expect((await moves(tracking)).slice(1)).toEqual([['save', 'Shelf', 'Dock']])
  })

  test('only fills history if the asset was seen in a later minute', async ({ tracking }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    await seen(read(asset, shelf, NOW + MINUTE))
    await late(tracking, placed(asset, dock, NOW))
    await late(tracking, placed(asset, dock, NOW))
    expect(await known(tracking, asset)).toEqual({
      history: [
        [iso(NOW), 'Dock'],
        [iso(NOW + MINUTE), 'Shelf'],
      ],
      position: [iso(NOW + MINUTE), 'Shelf', iso(NOW + MINUTE)],
    })
    expect(await moves(tracking)).toEqual([['scan', undefined, 'Shelf']])
  })

  test('overrides its minute although a read later in it was recorded, and last seen does not step back', async ({
    tracking,
  }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    await seen(read(asset, shelf, NOW + 20_000))
    await late(tracking, placed(asset, dock, NOW))
    expect(await known(tracking, asset)).toEqual({
      history: [[iso(NOW + 20_001), 'Dock']],
      position: [iso(NOW + 20_001), 'Dock', iso(NOW + 20_001)],
    })
    expect(await moves(tracking)).toEqual([
      ['scan', undefined, 'Shelf'],
      ['save', 'Shelf', 'Dock'],
    ])
  })

  test('stays in its minute, also after a read in the last millisecond of it', async ({ tracking }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    await seen(read(asset, shelf, NOW + 49_999))
    await late(tracking, placed(asset, dock, NOW))
    expect((await known(tracking, asset)).history).toEqual([[iso(NOW + 49_999), 'Dock']])
  })

  test('D8.2 removes the start of the current dwell, or sets it again', async ({ tracking }) => {
    const { asset, dock, shelf, seen } = await scene(tracking)
    for (const minute of [0, 1, 2]) await seen(read(asset, shelf, NOW + minute * MINUTE + 5_000))
    await late(tracking, placed(asset, shelf, NOW))
    expect((await known(tracking, asset)).position.at(-1)).toBe(iso(NOW))
    await late(tracking, placed(asset, dock, NOW + 1_000))
    expect((await known(tracking, asset)).position).toEqual([
      iso(NOW + 2 * MINUTE + 5_000),
      'Shelf',
      iso(NOW + MINUTE + 5_000),
    ])
    expect(await moves(tracking)).toEqual([['scan', undefined, 'Shelf']])
  })

  test('is recorded without an event if its asset or location was deleted since', async ({ tracking }) => {
    const { asset, dock } = await scene(tracking)
    const message = placed(asset, { ...dock }, NOW)
    tracking.catalog.change(dock, { deleted_at: iso(NOW + 1_000) })
    await tracking.project()
    await late(tracking, message)
    expect((await known(tracking, asset)).position.slice(0, 2)).toEqual([iso(NOW), 'Dock'])
    expect(await moves(tracking)).toEqual([])
    expect(
      (await findCurrentLocations(tracking.tenants, { org_id: 1, asset_ids: [asset.id] })).locations,
    ).toEqual([])
  })
})

describe('the consumer of placements', () => {
  test('makes a dead letter of an unusable message, and holds all messages while the database or catalog is not reachable', ({
    tracking,
  }) => {
    const consumer = placementsConsumer(depsAt(tracking, NOW))
    const message = (text: string) => ({ subject: 'placements.1', data: Buffer.from(text) }) as never
    for (const text of ['', '{}', 'null', '{"org_id":1,"placed_at":"yesterday"}'])
      expect(() => consumer.decode(message(text))).toThrow(PoisonError)
    expect(consumer.isOutage?.(new CatalogUnavailable('away'))).toBe(true)
    expect(consumer.isOutage?.(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))).toBe(true)
    expect(consumer.isOutage?.(new Error('a bug'))).toBe(false)
  })

  test('holds a placement with an unknown origin while catalog is not reachable, and changes nothing', async ({
    tracking,
  }) => {
    const { asset, dock } = await scene(tracking)
    const hidden = tracking.catalog.location(1, 'Not told of yet')
    await store(tracking.db, tracking.view, [read(asset, hidden, NOW - 2 * MINUTE)])
    const before = await known(tracking, asset)
    tracking.catalog.isUnreachable = true
    await expect(late(tracking, placed(asset, dock, NOW))).rejects.toThrow(CatalogUnavailable)
    expect(await known(tracking, asset)).toEqual(before)
    tracking.catalog.isUnreachable = false
    await late(tracking, placed(asset, dock, NOW))
    expect((await moves(tracking)).at(-1)).toEqual(['save', 'Not told of yet', 'Dock'])
  })
})

describe('rpc.tracking.assets-at', () => {
  test('pages by ascending id, with each asset of one organization once', async ({ tracking }) => {
    const { dock, shelf, seen } = await scene(tracking)
    const made = Array.from({ length: 5 }, (_, i) => tracking.catalog.asset(1, `Asset ${i}`))
    const theirs = tracking.catalog.asset(2, 'Theirs')
    await tracking.project()
    for (const [i, asset] of made.entries()) await seen(read(asset, i === 3 ? shelf : dock, NOW))
    await seen({ ...read(theirs, dock, NOW), orgId: 2 })
    const at = async (location_ids: number[], after = 0, limit = 2) =>
      (await listAssetsAt(tracking.tenants, { org_id: 1, location_ids, after, limit })).asset_ids
    const ids = made.map((asset) => asset.id)
    const both = [shelf.id, dock.id, dock.id]
    expect(await at(both)).toEqual(ids.slice(0, 2))
    expect(await at(both, ids[1])).toEqual(ids.slice(2, 4))
    expect(await at(both, ids[3])).toEqual(ids.slice(4))
    expect(await at([dock.id], 0, 10)).toEqual(ids.filter((_, i) => i !== 3))
    expect(await at([])).toEqual([])
    await expect(listAssetsAt(tracking.tenants, { org_id: 'x' })).rejects.toThrow('not a request')
  })
})

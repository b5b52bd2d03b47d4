import { describe, expect } from 'vitest'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../positions/observation.ts'
import { RecentMinutes } from './places/recent-minutes.ts'
import { store } from '../../test/store.ts'
import { events, ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { readBy } from '../../test/read-by.ts'

const MINUTE = 60_000
const iso = (ms: number) => new Date(ms).toISOString()
const [DOCK, SHELF, NOWHERE] = [1, 2, 3] // antennas

/** Reads of the forklift at antennas, each in its own message and batch, as if many processes handled them. */
async function readAt(tracking: Tracking, ...reads: [antenna: number, at: number][]): Promise<void> {
  for (const [antenna, at] of reads)
    await ingest(tracking, [message(1, [{ value: 'E280', antenna, at }])], new RecentMinutes())
}

const moves = async (tracking: Tracking) =>
  (await events(tracking)).map((e) => [e.from_location?.name ?? null, e.to_location.name])

const position = (tracking: Tracking) =>
  tracking.db
    .selectFrom('position')
    .select(['location_id', 'observed_at', 'dwell_started_at'])
    .executeTakeFirstOrThrow()

describe('D8.7 a row between two others', () => {
  test('D8.2 elsewhere: the dwell starts with the row after it, and there is no event', async ({
    tracking,
  }) => {
    const { dock } = await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0], [DOCK, t0 + 3 * MINUTE], [DOCK, t0 + 5 * MINUTE])
    await readAt(tracking, [SHELF, t0 + 2 * MINUTE])
    expect(await position(tracking)).toEqual({
      location_id: dock.id,
      observed_at: iso(t0 + 5 * MINUTE),
      dwell_started_at: iso(t0 + 3 * MINUTE),
    })
    expect(await moves(tracking)).toEqual([[null, 'Dock']])
    const history = await tracking.call('GET', `/assets/${(await scans(tracking))[0]?.asset_id}/history`)
    expect(history.json().data.map((row: { duration_seconds: number }) => row.duration_seconds)).toEqual([
      120,
      60,
      120,
      null,
    ]) // oxfmt-ignore
  })

  test('D8.2 at the same location before the dwell: the dwell started earlier', async ({ tracking }) => {
    await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [SHELF, t0], [DOCK, t0 + 8 * MINUTE])
    await readAt(tracking, [DOCK, t0 + 5 * MINUTE], [DOCK, t0 + 3 * MINUTE])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0 + 3 * MINUTE))
    await readAt(tracking, [SHELF, t0 + 4 * MINUTE])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0 + 5 * MINUTE))
  })

  test('D8.2 before a row elsewhere, or with no row before it: the dwell is unchanged', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0 + 8 * MINUTE], [SHELF, t0 + 5 * MINUTE], [DOCK, t0 + 3 * MINUTE])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0 + 8 * MINUTE))
  })

  test('D8.2 the first row of all makes it longer too', async ({ tracking }) => {
    await warehouse(tracking)
    await readAt(tracking, [DOCK, NOW - 5 * MINUTE], [DOCK, NOW - 9 * MINUTE])
    expect((await position(tracking)).dwell_started_at).toBe(iso(NOW - 9 * MINUTE))
  })

  test('D8.2 in the batch that moves the asset, late rows change the dwell at its end', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0 + 5 * MINUTE])
    await ingest(tracking, [
      message(1, [
        { value: 'E280', antenna: DOCK, at: t0 + 9 * MINUTE },
        { value: 'E280', antenna: SHELF, at: t0 + 3 * MINUTE },
        { value: 'E280', antenna: DOCK, at: t0 + 4 * MINUTE },
      ]),
    ])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0 + 4 * MINUTE))
    expect(await moves(tracking)).toEqual([[null, 'Dock']])
  })
})

describe('a minute records the first location observed in it', () => {
  test('a read with a location replaces one without', async ({ tracking }) => {
    const { asset, shelf } = await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0], [NOWHERE, t0 + MINUTE], [SHELF, t0 + MINUTE + 30_000])
    expect((await scans(tracking))[1]).toEqual({
      asset_id: asset.id,
      location_id: shelf.id,
      observed_at: iso(t0 + MINUTE + 30_000),
    })
    // The scan before it has no location.
    expect(await moves(tracking)).toEqual([
      [null, 'Dock'],
      [null, 'Shelf'],
    ])
    await readAt(tracking, [DOCK, t0 + MINUTE + 40_000], [NOWHERE, t0 + MINUTE + 50_000])
    expect(await position(tracking)).toMatchObject({ location_id: shelf.id })
    expect(await scans(tracking)).toHaveLength(2)
  })

  test('within one batch, only the read with a location counts', async ({ tracking }) => {
    await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0])
    const [none, shelf] = [t0 + MINUTE, t0 + MINUTE + 30_000]
    await ingest(tracking, [
      message(1, [{ value: 'E280', antenna: NOWHERE, at: none }]),
      message(1, [{ value: 'E280', antenna: SHELF, at: shelf }]),
    ])
    expect(await moves(tracking)).toEqual([
      [null, 'Dock'],
      ['Dock', 'Shelf'],
    ])
  })

  test('in a late row too, which makes no event and repairs a broken dwell', async ({ tracking }) => {
    const { dock } = await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await readAt(tracking, [DOCK, t0], [DOCK, t0 + 5 * MINUTE], [NOWHERE, t0 + 2 * MINUTE])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0 + 5 * MINUTE))
    await readAt(tracking, [DOCK, t0 + 2 * MINUTE + 1_000])
    expect((await position(tracking)).dwell_started_at).toBe(iso(t0))
    expect((await scans(tracking)).map((row) => row.location_id)).toEqual([dock.id, dock.id, dock.id])
    expect(await moves(tracking)).toEqual([[null, 'Dock']])
  })

  test('of two locations in one batch, the first to arrive wins, also across messages', async ({
    tracking,
  }) => {
    const { shelf } = await warehouse(tracking)
    const t0 = NOW - 20 * MINUTE
    await ingest(tracking, [
      message(1, [{ value: 'E280', antenna: SHELF, at: t0 + 50_000 }]),
      message(1, [{ value: 'E280', antenna: DOCK, at: t0 + 10_000 }]),
    ])
    expect(await scans(tracking)).toMatchObject([{ location_id: shelf.id, observed_at: iso(t0 + 50_000) }])
  })
})

describe('a deletion while a read is on its way', () => {
  const observation = (assetId: number, locationId: number): Observation => ({
    orgId: 1,
    assetId,
    minute: minuteOf(NOW),
    observedAtMs: NOW,
    locationId,
    ...readBy('dock-1'),
  })

  test.for(['asset', 'dock'] as const)('%s: the row stays, without an event', async (which, { tracking }) => {
    const things = await warehouse(tracking)
    tracking.catalog.change(things[which], { deleted_at: iso(NOW) })
    await tracking.project()
    await store(tracking.db, tracking.view, [observation(things.asset.id, things.dock.id)])
    expect(await scans(tracking)).toHaveLength(1)
    expect(await events(tracking)).toEqual([])
  })

  test('reads of a deleted asset record no scan', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    tracking.catalog.change(asset, { deleted_at: iso(NOW) })
    await tracking.project()
    await readAt(tracking, [DOCK, NOW])
    expect(await scans(tracking)).toEqual([])
  })
})

test('a tag that moves to another asset takes no history with it', async ({ tracking }) => {
  const { catalog } = tracking
  const { asset: old, dock, shelf } = await warehouse(tracking)
  await readAt(tracking, [DOCK, NOW - 5_000])
  const heir = catalog.asset(1, 'Heir')
  catalog.tags = catalog.tags.map((tag) => ({
    ...tag,
    revision: tag.revision + 1_000,
    deleted_at: iso(NOW),
  }))
  catalog.tag(heir, 'E280')
  await tracking.project()
  await readAt(tracking, [SHELF, NOW - 1_000])
  expect(await scans(tracking)).toMatchObject([
    { asset_id: old.id, location_id: dock.id },
    { asset_id: heir.id, location_id: shelf.id },
  ])
  expect((await events(tracking)).map((e) => [e.asset.id, e.from_location])).toEqual([
    [old.id, null],
    [heir.id, null],
  ])
})

describe('D8.6 D8.8 the counters of a reader', () => {
  const health = async (tracking: Tracking) => {
    await tracking.health.flush()
    const { data } = (await tracking.call('GET', '/readers')).json()
    type Reader = { reader_key: string; configured: boolean; health: object }
    return new Map((data as Reader[]).map((reader) => [reader.reader_key, reader]))
  }

  test('a reader without scan points, or an unconfigured one, records no scan and counts reads without a location', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const bare = { reader_key: 'bare', name: 'Bare', format: 'canonical' }
    await tracking.call('POST', '/readers', { body: bare })
    for (const reader of ['bare', 'unconfigured'])
      await ingest(tracking, [message(1, [{ value: 'E280' }, { value: 'E280' }], reader)])
    expect(await scans(tracking)).toEqual([])
    const readers = await health(tracking)
    expect(readers.get('bare')).toMatchObject({ configured: true, health: { reads: 2, reads_unplaced: 2 } })
    expect(readers.get('unconfigured')).toMatchObject({
      configured: false,
      health: { reads: 2, reads_unplaced: 2 },
    })
  })

  test('reads more than 30 seconds ahead, or of a day ago without a proof, count when they were received', async ({
    tracking,
  }) => {
    const { asset } = await warehouse(tracking)
    const day = 24 * 60 * MINUTE
    await readAt(tracking, [DOCK, NOW - day - 1], [DOCK, NOW - day], [DOCK, NOW + 30_001])
    expect((await scans(tracking)).map((row) => row.observed_at)).toEqual([iso(NOW - day), iso(NOW)])
    await readAt(tracking, [DOCK, NOW + 30_000])
    expect(await scans(tracking)).toHaveLength(2) // the minute of receipt
    expect((await health(tracking)).get('dock-1')).toMatchObject({ health: { reads_clock_skewed: 2 } })
    expect((await position(tracking)).observed_at).toBe(iso(NOW))
    expect((await events(tracking)).map((e) => e.asset.id)).toEqual([asset.id])
  })
})

describe('names that only another replica knows', () => {
  test('asks for a scan point’s location, so that no movement lacks its event', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    tracking.view.clear()
    tracking.catalog.requests = []
    await readAt(tracking, [DOCK, NOW])
    expect(await events(tracking)).toMatchObject([
      { asset: { id: asset.id, name: 'Forklift 7' }, to_location: { id: dock.id, name: 'Dock' } },
    ])
    expect(tracking.catalog.requests).toHaveLength(1)
  })

  test('asks for an origin, outside the transaction', async ({ tracking }) => {
    const { shelf } = await warehouse(tracking)
    await readAt(tracking, [SHELF, NOW - MINUTE])
    tracking.view.clear()
    await readAt(tracking, [DOCK, NOW])
    expect((await events(tracking)).at(-1)).toMatchObject({ from_location: { id: shelf.id, name: 'Shelf' } })
  })

  test('holds the batch without catalog, and stores it once catalog is back', async ({ tracking }) => {
    await warehouse(tracking)
    await readAt(tracking, [SHELF, NOW - MINUTE])
    const { asset, dock } = await warehouseAgain(tracking)
    tracking.catalog.isUnreachable = true
    const consumed = ingest(tracking, [message(1, [{ value: 'E280', antenna: DOCK, at: NOW }])])
    await expect(consumed).rejects.toThrow('catalog is not reachable')
    expect(await scans(tracking)).toHaveLength(1)
    tracking.catalog.isUnreachable = false
    await readAt(tracking, [DOCK, NOW])
    expect((await events(tracking)).at(-1)).toMatchObject({
      asset: { id: asset.id },
      from_location: { name: 'Shelf' },
      to_location: { id: dock.id },
    })
  })

  /** A view without the shelf. */
  async function warehouseAgain(tracking: Tracking) {
    const { view, catalog } = tracking
    view.clear()
    const [asset, dock] = [catalog.assets[0]!, catalog.locations[0]!]
    view.applyAsset(asset)
    view.applyLocation(dock)
    for (const tag of catalog.tags) view.applyTag(tag)
    return { asset, dock }
  }

  test('uses null for a name that catalog does not know either', async ({ tracking }) => {
    await warehouse(tracking)
    await readAt(tracking, [SHELF, NOW - MINUTE])
    tracking.catalog.locations = tracking.catalog.locations.filter(({ name }) => name !== 'Shelf')
    tracking.view.clear()
    await readAt(tracking, [DOCK, NOW])
    expect((await moves(tracking)).at(-1)).toEqual([null, 'Dock'])
  })
})

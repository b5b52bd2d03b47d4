import { expect } from 'vitest'
import { listLiveLocations, readPlaces } from '../../src/where/floor/floor.queries.ts'
import { firstPageReader } from '../../src/where/history/first-pages.queries.ts'
import {
  findLocationKeys,
  readPage,
  seen,
  type HistoryPage,
  type HistoryRange,
} from '../../src/where/history/page.queries.ts'
import { dateOf } from '../../src/positions/partitions/partitions.queries.ts'
import { findWaiting, listSightings } from '../../src/where/history/sightings.queries.ts'
import { findCurrentLocations } from '../../src/where/reports/current-locations/current-locations.responder.ts'
import { countMovements } from '../../src/where/reports/movement-summary/movement-summary.queries.ts'
import { listUnsteady } from '../../src/where/reports/unsteady/unsteady.queries.ts'
import { countOccupancy } from '../../src/where/reports/occupancy/occupancy.queries.ts'
import { readAssetLocationsAt } from '../../src/where/reports/asset-locations/at-instant.queries.ts'
import { assetId, locationId, ORG_ID, test, type Plans, type Scan } from './plans.fixture.ts'
import { LATEST_FIRST, type AssetLocationsFilter } from '../../src/where/reports/asset-locations/filter.ts'
import { readAssetLocations } from '../../src/where/reports/asset-locations/asset-locations.queries.ts'

const slow = { timeout: 120_000 }
const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().replace('Z', '000Z')

const filterOf = (changes: Partial<AssetLocationsFilter> = {}): AssetLocationsFilter => ({
  limit: 50,
  offset: 0,
  sort: LATEST_FIRST,
  includeDeleted: false,
  ...changes,
})
const sorts = (['asset_last_seen', 'asset_external_key', 'location_external_key'] as const).flatMap((field) =>
  [true, false].map((descending) => [{ field, descending }]),
)
const some = Array.from({ length: 20 }, (_, i) => i)
const branches = some.map((i) => ({ home: locationId(i), places: [locationId(i), locationId(i + 20)] }))
const filters: Partial<AssetLocationsFilter>[] = [
  {},
  { includeDeleted: true },
  { withLocationOnly: true },
  { assetIds: some.map(assetId) },
  { assetKeys: some.map((i) => `ASSET-${i}`) },
  { locationIds: [locationId(3)] },
  { locationIds: 'none' },
  { notSeenSince: ago(3) },
  { notSeenSince: ago(3), includeDeleted: true, locationIds: some.map(locationId) },
  { notSeenSince: ago(3), q: 'forklift' },
  { locationIds: some.map(locationId), includeDeleted: true },
  { q: 'forklift' },
  { q: 'c4ca4238' },
  { q: 'lift', locationIds: some.map(locationId) },
  { home: { ids: some.map(locationId) } },
  { home: { misplaced: { wanted: false, branches } } },
  { home: { misplaced: { wanted: true, branches } } },
  { home: { misplaced: { wanted: false, branches } }, q: 'forklift' },
]

async function readEverything({ db }: Plans): Promise<void> {
  const bounds = [undefined, 0] // as if there were more rows
  for (const sort of sorts)
    for (const filter of filters)
      for (const offset of [0, 50, 3_000])
        for (const bound of bounds)
          await readAssetLocations(db, ORG_ID, filterOf({ sort, ...filter, offset }), bound)
  for (const filter of filters) await readAssetLocationsAt(db, ORG_ID, filterOf(filter), ago(100))
  await findCurrentLocations({ forOrg: () => db }, { org_id: ORG_ID, asset_ids: some.map(assetId) })
  await countOccupancy(db, ORG_ID, some.map(locationId))
  await readPlaces(db, ORG_ID, 5_000)
  await listUnsteady(db, ORG_ID, Date.now(), { limit: 50, offset: 0 })
  await listLiveLocations(db, ORG_ID)
}

async function readMovements({ db }: Plans): Promise<void> {
  const window = { fromMs: Date.now() - 60 * DAY_MS, toMs: Date.now() - 40 * DAY_MS }
  await countMovements(db, ORG_ID, window, { stepSeconds: 3600 })
  const area = { locationIds: [locationId(3), locationId(4)], isDeep: true }
  await countMovements(db, ORG_ID, window, { stepSeconds: 60, area })
}

const pageOf = ({ db }: Plans, range: HistoryRange, page: HistoryPage) =>
  readPage({ db, orgId: ORG_ID, assetId: assetId(1) }, range, page, seen)

async function readHistory(plans: Plans, range: HistoryRange = {}): Promise<void> {
  const { db } = plans
  for (const descending of [true, false])
    for (const offset of [0, 5]) await pageOf(plans, range, { limit: 5, offset, descending })
  await firstPageReader({ forOrg: () => db })(ORG_ID, { assetId: assetId(1), limit: 5 })
  await findLocationKeys(db, ORG_ID, [locationId(1)])
  await listSightings(db, ORG_ID, assetId(1), range, { limit: 50, offset: 0 })
  await findWaiting(db, ORG_ID, assetId(1))
}

const of = (scans: readonly { scans: Scan[] }[]) => scans.flatMap((statement) => statement.scans)

test('no statement of a report, history, summary or reply reads a whole table', slow, async ({ plans }) => {
  await readEverything(plans)
  await readHistory(plans)
  await readHistory(plans, { from: ago(40), to: ago(20) })
  await readMovements(plans)
  const taken = await plans.takeScans()
  expect(taken.length).toBeGreaterThan(300)
  // One row.
  const isWhole = ({ type, table }: Scan) => type === 'Seq Scan' && table !== 'history_packing'
  expect(taken.filter(({ scans }) => scans.some(isWhole))).toEqual([])
  const indexes = new Set(of(taken).map(({ index }) => index))
  const made = ['asset_listed_key', 'asset_listed_until', 'asset_listed_from', 'asset_search', 'tag_search',
    'asset_place_location', 'position_seen_place', 'position_seen_deleted', 'location_gone', 'asset_place_home'] // oxfmt-ignore
  expect(made.filter((index) => !indexes.has(index))).toEqual([])
})

test('rows that are counted or skipped are read from an index alone', slow, async ({ plans }) => {
  const alone = async (changes: Partial<AssetLocationsFilter>, index: string) => {
    await readAssetLocations(plans.db, ORG_ID, filterOf({ offset: 2_000, ...changes }), 0)
    const types = of(await plans.takeScans()).filter((scan) => scan.index === index).map(({ type }) => type) // oxfmt-ignore
    expect(types.length).toBeGreaterThan(0)
    expect(new Set(types)).toEqual(new Set(['Index Only Scan']))
  }
  await alone({}, 'asset_listed_until')
  await alone({}, 'position_seen_place')
  await alone({ withLocationOnly: true }, 'position_seen_place')
  await alone({ sort: [{ field: 'asset_external_key', descending: false }] }, 'asset_listed_key')
  await alone({ locationIds: some.map(locationId) }, 'asset_place_location')
  await alone({ notSeenSince: ago(3) }, 'position_seen_place')
  const all = Array.from({ length: 60 }, (_, i) => locationId(i))
  await countOccupancy(plans.db, ORG_ID, all)
  const counted = of(await plans.takeScans()).filter(({ table }) => table === 'asset_place')
  expect(counted.map(({ type, index }) => [type, index])).toEqual([
    ['Index Only Scan', 'asset_place_location'],
    ['Index Only Scan', 'asset_place_location'],
  ])
})

test(
  'the branches of homes are hashed once, and not joined to each row that is walked',
  slow,
  async ({ plans }) => {
    for (const wanted of [true, false])
      for (const sort of sorts) {
        const filter = filterOf({ sort, home: { misplaced: { wanted, branches } } })
        await readAssetLocations(plans.db, ORG_ID, filter, 0)
        const walk = (await plans.takeScans()).find(({ text }) => text.includes('page as materialized'))
        const hashed = walk?.scans.filter(({ type }) => type === 'Function Scan').map(({ part }) => part)
        expect(new Set(hashed)).toEqual(new Set(['SubPlan']))
      }
  },
)

test(
  'the floor counts places from an index, and looks up only the assets that it shows',
  slow,
  async ({ plans }) => {
    const { assets, held } = await readPlaces(plans.db, ORG_ID, 50)
    expect(assets).toHaveLength(50)
    expect([...held.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2_000)
    const scans = of(await plans.takeScans()).map(({ table, type, index }) => [table, type, index])
    expect(scans).toContainEqual(['position', 'Index Scan', 'position_seen_place'])
    expect(scans.filter(([, type]) => type === 'Seq Scan')).toEqual([])
    expect(scans).toContainEqual(['asset', 'Index Scan', 'asset_pkey'])
  },
)

test('a report on the past skips rows that are packed', slow, async ({ plans }) => {
  await readAssetLocationsAt(plans.db, ORG_ID, filterOf(), ago(100))
  const scans = of(await plans.takeScans()).filter(({ table }) => table?.startsWith('scan_'))
  expect(scans.length).toBeGreaterThan(0)
  // Under row-level security, a condition that may tell something of hidden rows is checked row by row.
  expect(scans.filter(({ condition }) => !condition?.includes('minute >='))).toEqual([])
})

test('months outside the range, or after the instant, are not read', slow, async ({ plans }) => {
  const months = async () => {
    const tables = of(await plans.takeScans()).flatMap(
      ({ table }) => table?.match(/^(?:scan|movement)_(.*)$/)?.[1] ?? [],
    )
    return [...new Set(tables)].map((month) => month.replace('_', '-')).toSorted()
  }
  const monthAgo = (days: number) => dateOf(Date.now() - days * DAY_MS).slice(0, 7)
  await pageOf(plans, { from: ago(70), to: ago(40) }, { limit: 1, offset: 1_000, descending: true })
  const inRange = await months()
  expect([inRange[0], inRange.at(-1)]).toEqual([monthAgo(70), monthAgo(40)])
  expect(inRange.length).toBeLessThan(4)
  await readAssetLocationsAt(plans.db, ORG_ID, filterOf(), ago(200))
  expect((await months()).at(-1)).toBe(monthAgo(200))
  await readMovements(plans)
  expect((await months()).at(-1)).toBe(monthAgo(40))
  await pageOf(plans, {}, { limit: 1, offset: 0, descending: true })
  expect((await months()).length).toBeGreaterThanOrEqual(14)
})

import type { SortField } from '@whereabouts/contracts/rules/query'
import type { LocationState } from '@whereabouts/contracts/messages/catalog-state'
import type { AssetLocationRow } from '@whereabouts/contracts/resources/tracking/tracking'
import { fc } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { minuteOf, type Observation } from '../../src/positions/observation.ts'
import { store } from '../store.ts'
import type { CatalogStandIn, Tracking } from '../tracking.fixture.ts'
import { homeFilter } from '../../src/where/reports/home.sql.ts'
import type { AssetLocationsFilter, ReportSort } from '../../src/where/reports/asset-locations/filter.ts'
import { readBy } from '../read-by.ts'

/** The expected report of any request, computed in memory from all rows. */

export const NOW = Math.floor(Date.now() / 60_000) * 60_000
const [PAST, FUTURE] = ['2021-01-01T00:00:00.000Z', '2990-01-01T00:00:00.000Z']
const WORDS = ['Forklift', 'Pallet', 'pump', 'ÄRGER', '50%_off', String.raw`back\slash`]
/** Reads of each asset, at different locations. */
const READS = 4

export type Seen = { asset_id: number; location_id: number | null; observed_at: string }

/**
 * Assets of two organizations: expired, not yet valid, deleted, never scanned, without a location, at deleted
 * locations; at their home, below it and elsewhere, without a home, with a deleted one. Returns the reads of the first
 * one, oldest first.
 */
export async function fillReport(tracking: Tracking): Promise<Seen[]> {
  const { catalog, db, view } = tracking
  for (const orgId of [1, 2]) {
    const places: number[] = []
    for (let i = 0; i < 7; i += 1) {
      const gone = i > 4 && { deleted_at: PAST }
      const parent = i % 2 === 1 && { parent_id: places[i - 1] ?? null }
      places.push(catalog.location(orgId, `Place ${6 - i}`, { ...gone, ...parent }).id)
    }
    for (let i = 0; i < 70; i += 1) {
      const asset = catalog.asset(orgId, `${WORDS[i % WORDS.length]} ${(i * 37) % 70}`, {
        external_key: `A-${(i * 13) % 70}`,
        home_location_id: places[(i * 5 + (i % 3)) % 8] ?? null,
        ...(i % 11 === 3 && { valid_to: i % 2 === 0 ? PAST : new Date(NOW - 600_000).toISOString() }),
        ...(i % 13 === 4 && { valid_to: FUTURE }),
        ...(i % 17 === 5 && { valid_from: i % 2 === 0 ? FUTURE : new Date(NOW - 900_000).toISOString() }),
        ...(i % 7 === 6 && { deleted_at: i % 2 === 0 ? PAST : new Date(NOW - 1_200_000).toISOString() }),
      })
      if (i % 3 === 0) catalog.tag(asset, `E2:${i}`)
      if (i % 5 === 0) catalog.tag(asset, `B${i}%x`, { tag_type: 'barcode' })
      if (i % 15 === 0) catalog.tag(asset, 'GONE-TAG', { deleted_at: PAST })
      if (i % 10 === 9) continue
      // Several in one instant, so that every order has ties.
      const reads = Array.from({ length: READS }, (_, n) => {
        const place = (i + n) % 8 === 7 ? null : (places[(i * 5 + n) % 9] ?? places[0] ?? null)
        return observation(orgId, asset.id, NOW - (((i * 7) % 20) + 25 * n) * 60_000, place)
      })
      await store(db, view, reads)
    }
  }
  await tracking.project()
  for (const state of catalog.assets) view.applyAsset(state)
  return db
    .selectFrom('scan')
    .select(['asset_id', 'location_id', 'observed_at'])
    .where('org_id', '=', 1)
    .orderBy('observed_at')
    .execute()
}

const observation = (orgId: number, assetId: number, at: number, locationId: number | null): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(at),
  observedAtMs: at,
  locationId,
  ...readBy('r'),
})

type Row = Omit<AssetLocationRow, 'dwell_started_at' | 'dwell_seconds'>

/** The rows that match, in any order; the rows at an instant of the past, if one is given. */
export function expectedRows(
  catalog: CatalogStandIn,
  reads: readonly Seen[],
  filter: AssetLocationsFilter,
  at = new Date(NOW).toISOString(),
): Row[] {
  const last = new Map(reads.filter((read) => read.observed_at <= at).map((read) => [read.asset_id, read]))
  return [...last.values()].flatMap((seen): Row[] => {
    const asset = catalog.assets.find((a) => a.id === seen.asset_id)
    const location = catalog.locations.find((l) => l.id === seen.location_id)
    if (!asset || asset.valid_from > at || (asset.valid_to !== null && asset.valid_to <= at)) return []
    if (asset.deleted_at !== null && asset.deleted_at <= at && !filter.includeDeleted) return []
    if (filter.assetIds && !filter.assetIds.includes(asset.id)) return []
    if (filter.assetKeys && !filter.assetKeys.includes(asset.external_key)) return []
    if (filter.locationIds === 'none' && seen.location_id !== null) return []
    if (Array.isArray(filter.locationIds) && !filter.locationIds.includes(seen.location_id)) return []
    if (filter.notSeenSince !== undefined && seen.observed_at >= filter.notSeenSince) return []
    if (filter.withLocationOnly && location?.deleted_at !== null) return []
    const { ids, misplaced } = filter.home ?? {}
    const home = catalog.locations.find((l) => l.id === asset.home_location_id)
    if (ids && !(home && ids.includes(home.id))) return []
    if (misplaced && isHome(catalog, home, location) !== !misplaced.wanted) return []
    const tags = catalog.tags.filter((t) => t.asset_id === asset.id && t.deleted_at === null)
    const texts = [asset.name, asset.external_key, ...tags.map((t) => t.value)]
    if (
      filter.q !== undefined &&
      !texts.some((text) => text.toLowerCase().includes(filter.q?.toLowerCase() ?? ''))
    )
      return []
    return [
      {
        asset_id: asset.id,
        asset_external_key: asset.external_key,
        location_id: seen.location_id,
        location_external_key: location?.deleted_at === null ? location.external_key : null,
        asset_deleted_at: asset.deleted_at,
        asset_last_seen: seen.observed_at,
      },
    ]
  })
}

/** Whether a place is the home or below it (D21.1); undefined unless both are live. */
function isHome({ locations }: CatalogStandIn, home?: LocationState, place?: LocationState) {
  if (home?.deleted_at !== null || place?.deleted_at !== null) return undefined
  const parentOf = (child: LocationState) => locations.find(({ id }) => id === child.parent_id)
  for (let at: LocationState | undefined = place; at; at = parentOf(at)) if (at === home) return true
  return false
}

/** Checks that all pages together have each matching row once and in order, and that each page has the total. */
export async function expectPages(
  wanted: readonly Row[],
  filter: AssetLocationsFilter,
  read: (filter: AssetLocationsFilter) => Promise<{ rows: AssetLocationRow[]; total: number }>,
): Promise<void> {
  const rows: Row[] = []
  for (let offset = 0; offset <= wanted.length; offset += filter.limit) {
    const page = await read({ ...filter, offset })
    expect(page.total).toBe(wanted.length)
    expect(page.rows).toHaveLength(Math.min(filter.limit, wanted.length - offset))
    rows.push(...page.rows.map(({ dwell_started_at: _at, dwell_seconds: _dwell, ...row }) => row))
  }
  expect(rows.slice(1).every((row, i) => compare(rows[i] as Row, row, filter.sort) <= 0)).toBe(true)
  const byId = (list: readonly Row[]) => list.toSorted((a, b) => a.asset_id - b.asset_id)
  expect(byId(rows)).toEqual(byId(wanted))
}

/** Rows without a key come last, in both directions. */
function compare(a: Row, b: Row, sort: readonly SortField<ReportSort>[]): number {
  for (const { field, descending } of sort) {
    const [x, y] = [a[field], b[field]]
    if (x === y) continue
    if (x === null || y === null) return x === null ? 1 : -1
    return x < y === descending ? 1 : -1
  }
  return 0
}

const sorts = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom<ReportSort[]>('asset_last_seen', 'asset_external_key', 'location_external_key'),
    descending: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3, selector: ({ field }) => field },
)

/** A random request about these assets and locations, without an offset. */
export function anyFilter({ catalog, view }: Tracking): fc.Arbitrary<AssetLocationsFilter> {
  const { assets, locations } = catalog
  const ids = assets.map(({ id }) => id)
  const q = fc.constantFrom(
    'fork',
    'LIFT 3',
    'a-1',
    'a',
    '%',
    '_',
    String.raw`\S`,
    'ärger',
    'e2:',
    'gone',
    '\u001f',
  )
  const locationIds = fc.oneof(
    { weight: 4, arbitrary: fc.subarray([...locations.map(({ id }) => id), 999], { minLength: 1 }) },
    { weight: 1, arbitrary: fc.constant('none' as const) },
  )
  const assetIds = fc.subarray([...ids, 999, 999], { minLength: 1, maxLength: 20 })
  const assetKeys = fc.constant(['A-1', 'A-13', 'A-26', 'A-39', 'NONE'])
  const home = fc
    .record({
      home_location_id: fc.option(fc.subarray([...locations.map(({ id }) => id), 999], { minLength: 1 }), {
        nil: undefined,
      }),
      misplaced: fc.constantFrom(undefined, true, false),
    })
    .map((query) => homeFilter(view, 1, query))
  const filters = fc.oneof(
    fc.constant({}),
    fc.record({ locationIds }),
    fc.record({ home }),
    fc.record({ home, q, locationIds }, { requiredKeys: ['home'] }),
    fc.record({ q }),
    fc.record({ q, locationIds }),
    fc.record({ assetIds, q, locationIds }, { requiredKeys: ['assetIds'] }),
    fc.record({ assetKeys, q, locationIds }, { requiredKeys: ['assetKeys'] }),
  )
  const common = fc.record({
    sort: sorts,
    includeDeleted: fc.boolean(),
    withLocationOnly: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    notSeenSince: fc
      .integer({ min: -20, max: 20 })
      .map((n) => (n > 1 ? undefined : new Date(NOW + n * 60_000).toISOString())),
    limit: fc.integer({ min: 1, max: 12 }),
  })
  return fc
    .tuple(common, filters)
    .map((asked) => Object.assign({ offset: 0 }, ...asked) as AssetLocationsFilter)
}

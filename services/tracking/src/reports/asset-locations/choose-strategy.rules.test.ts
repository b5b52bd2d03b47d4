import { expect, test } from 'vitest'
import {
  chooseCount,
  chooseCountedPage,
  choosePage,
  type CountStrategy,
  type PageStrategy,
} from './choose-strategy.rules.ts'
import type { AssetLocationsFilter, ReportSort } from './filter.ts'

const bounds = { sortAtMost: 5_000, skipAtMost: 1_000 }
const [SEEN, KEY, LOCATION] = ['asset_last_seen', 'asset_external_key', 'location_external_key'] as const
const by = (...fields: ReportSort[]) => fields.map((field) => ({ field, descending: false }))

type Case = [filter: Partial<AssetLocationsFilter>, total: number, count: CountStrategy, page: PageStrategy]

test.for<Case>([
  // Without a filter, the first field of the sort decides.
  [{}, 200_000, 'scanned', 'by_last_seen'],
  [{}, 10, 'scanned', 'by_last_seen'],
  [{ sort: by(KEY) }, 200_000, 'scanned', 'by_asset_key'],
  [{ sort: by(KEY, LOCATION) }, 200_000, 'scanned', 'by_asset_key'],
  [{ withLocationOnly: true }, 10, 'scanned', 'by_last_seen'],
  // By location: near the beginning or beyond.
  [{ sort: by(LOCATION), offset: 950 }, 200_000, 'scanned', 'by_location'],
  [{ sort: by(LOCATION), offset: 951 }, 200_000, 'scanned', 'by_location_counts'],
  [{ sort: by(LOCATION, SEEN) }, 200_000, 'scanned', 'by_location_counts'],
  // Few filtered rows are sorted, many are read in order.
  [{ locationIds: [1] }, 5_000, 'at_locations', 'from_candidates'],
  [{ locationIds: [1] }, 5_001, 'at_locations', 'by_last_seen'],
  [{ locationIds: [1], sort: by(LOCATION) }, 5_001, 'at_locations', 'by_location'],
  [{ q: 'fork' }, 5_000, 'found', 'from_candidates'],
  [{ q: 'fork', locationIds: [1], sort: by(KEY) }, 5_001, 'found', 'by_asset_key'],
  [{ locationIds: 'none' }, 5_000, 'at_locations', 'from_candidates'],
  // Last seen before an instant: in that order from its index; in another one few are sorted, many are read in order.
  [{ notSeenSince: '2026-01-01T00:00:00Z' }, 10, 'unseen', 'by_last_seen'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', locationIds: [1] }, 10, 'unseen', 'by_last_seen'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', sort: by(KEY) }, 5_000, 'unseen', 'from_candidates'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', sort: by(KEY) }, 5_001, 'unseen', 'by_asset_key'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', sort: by(LOCATION) }, 5_001, 'unseen', 'by_location'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', q: 'fork', sort: by(KEY) }, 5_001, 'found', 'by_asset_key'],
  [{ notSeenSince: '2026-01-01T00:00:00Z', assetIds: [1] }, 1, 'candidates', 'from_candidates'],
  // Requested assets are few, with any total.
  [{ assetIds: [1] }, 6_000, 'candidates', 'from_candidates'],
  [{ assetKeys: ['A'], q: 'fork', locationIds: [1] }, 1, 'candidates', 'from_candidates'],
  // A page after the last row is not read.
  [{ offset: 10 }, 10, 'scanned', 'empty'],
  [{ assetIds: [1], offset: 1 }, 1, 'candidates', 'empty'],
  [{ offset: 9 }, 10, 'scanned', 'by_last_seen'],
])('%o of %i rows: count %s, page %s', ([changes, total, count, page]) => {
  const filter = { limit: 50, offset: 0, sort: by(SEEN), includeDeleted: false, ...changes }
  expect([chooseCount(filter), choosePage(filter, total, bounds)]).toEqual([count, page])
})

test.for<[filter: Partial<AssetLocationsFilter>, page: PageStrategy | undefined]>([
  [{ sort: by(LOCATION), offset: 951 }, 'by_location_counts'],
  [{ sort: by(LOCATION, SEEN) }, 'by_location_counts'],
  [{ sort: by(LOCATION), offset: 950 }, undefined],
  [{ sort: by(SEEN, LOCATION), offset: 951 }, undefined],
  [{ sort: by(LOCATION, SEEN), locationIds: [1] }, undefined],
  [{ sort: by(LOCATION, SEEN), q: 'fork' }, undefined],
  [{ sort: by(LOCATION, SEEN), assetIds: [1] }, undefined],
  [{}, 'by_last_seen'],
  [{ withLocationOnly: true }, 'by_last_seen'],
  [{ offset: 950 }, 'by_last_seen'],
  [{ offset: 951 }, undefined],
  [{ sort: by(SEEN, KEY) }, undefined],
  [{ includeDeleted: true }, undefined],
  [{ locationIds: [1] }, undefined],
  [{ notSeenSince: '2026-01-01T00:00:00Z' }, undefined],
])('%o is counted by the page %s', ([changes, page]) => {
  const filter = { limit: 50, offset: 0, sort: by(SEEN), includeDeleted: false, ...changes }
  expect(chooseCountedPage(filter, bounds)).toBe(page)
})

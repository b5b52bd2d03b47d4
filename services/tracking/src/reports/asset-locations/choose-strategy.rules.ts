import { namesAssets, type AssetLocationsFilter } from './filter.ts'

/** How the report counts its rows; each is a file `count-<strategy>.sql.ts`. */
export type CountStrategy = 'candidates' | 'unseen' | 'found' | 'at_locations' | 'scanned'

/** How the report reads one page; each but `empty` is a file `page-<strategy>.sql.ts`. */
export const pageStrategies = [
  'empty',
  'from_candidates',
  'by_last_seen',
  'by_asset_key',
  'by_location',
  'by_location_counts',
] as const
export type PageStrategy = (typeof pageStrategies)[number]

/** In rows. */
export type Bounds = {
  /** Up to this many filtered rows are sorted in memory; more are read from an index in the requested order. */
  sortAtMost: number
  /**
   * Up to this many rows are read and skipped. Beyond, whole locations are skipped by their counts, and others are read
   * from the nearer end.
   */
  skipAtMost: number
}

export const BOUNDS: Bounds = { sortAtMost: 5_000, skipAtMost: 5_000 }

export function chooseCount(filter: AssetLocationsFilter): CountStrategy {
  if (namesAssets(filter)) return 'candidates'
  if (filter.q !== undefined) return 'found'
  if (filter.notSeenSince !== undefined) return 'unseen'
  return filter.locationIds ? 'at_locations' : 'scanned'
}

/**
 * The page that counts all rows itself, if there is one, because counting them first would be twice the work, or one
 * statement more.
 */
export function chooseCountedPage(
  filter: AssetLocationsFilter,
  bounds: Bounds,
): 'by_last_seen' | 'by_location_counts' | undefined {
  if (namesAssets(filter) || isFiltered(filter)) return undefined
  const { field } = filter.sort[0] ?? {}
  if (field === 'location_external_key') return isNear(filter, bounds) ? undefined : 'by_location_counts'
  const isPlain = field === 'asset_last_seen' && !filter.includeDeleted && isNear(filter, bounds)
  return isPlain ? 'by_last_seen' : undefined
}

const isFiltered = ({ locationIds, notSeenSince, q }: AssetLocationsFilter): boolean =>
  locationIds !== undefined || notSeenSince !== undefined || q !== undefined

const isNear = ({ sort, offset, limit }: AssetLocationsFilter, { skipAtMost }: Bounds): boolean =>
  sort.length === 1 && offset + limit <= skipAtMost

/** `total`: rows on all pages. We choose, because PostgreSQL's planner does not know it. */
export function choosePage(filter: AssetLocationsFilter, total: number, bounds: Bounds): PageStrategy {
  const { offset, sort } = filter
  if (offset >= total) return 'empty'
  if (namesAssets(filter)) return 'from_candidates'
  const isByLastSeen = sort[0]?.field === 'asset_last_seen'
  // One index has both these rows and their order.
  if (isByLastSeen && filter.notSeenSince !== undefined) return 'by_last_seen'
  if (isFiltered(filter) && total <= bounds.sortAtMost) return 'from_candidates'
  if (isByLastSeen) return 'by_last_seen'
  if (sort[0]?.field === 'asset_external_key') return 'by_asset_key'
  return isNear(filter, bounds) ? 'by_location' : 'by_location_counts'
}

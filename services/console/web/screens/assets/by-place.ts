import type { AssetFilter } from './asset-filters.tsx'
import { isNotSeen, notSeenSince } from './not-seen.ts'

type List = AssetFilter & { sort: string }

/**
 * Whether a filter asks where or when assets were seen. Only the report knows that, and the report has neither types nor
 * assets that were never seen.
 */
export const isByPlace = ({ location, seen }: Pick<List, 'location' | 'seen'>): boolean =>
  Number(location) > 0 || isNotSeen(seen)

const SORTS: Readonly<Record<string, string>> = {
  external_key: 'asset_external_key',
  last_seen: 'asset_last_seen',
}

/** The order of the list by place, which can do less: otherwise, what was not seen for the longest time is first. */
export const placeSortOf = (sort: string): string =>
  SORTS[sort.replace(/^-/, '')] === undefined ? 'last_seen' : sort

/** The filter, as the report takes it. */
export function placeQueryOf({ q, deleted, location, inside, seen, sort }: List, now = Date.now()) {
  const order = placeSortOf(sort)
  return {
    sort: order.replace(/\w+/, (field) => SORTS[field] ?? field),
    ...(q !== '' && { q }),
    ...(deleted === 'true' && { include_deleted: true }),
    ...(Number(location) > 0 && { location_id: [Number(location)], include_descendants: inside !== 'no' }),
    ...(isNotSeen(seen) && { not_seen_since: notSeenSince(seen, now) }),
  }
}

import { isNotSeen, notSeenSince } from '../../../parts/time/not-seen.ts'

export type AssetFilter = {
  q: string
  type: string
  active: string
  deleted: string
  /** An id. */
  location: string
  /** `no`: without its sub-locations. */
  inside: string
  seen: string
  /** `true`: only those that are not at home. */
  misplaced: string
  /** An instant; empty for now. */
  at: string
}

export type List = AssetFilter & { sort: string }

type ByPlace = Pick<List, 'location' | 'seen' | 'misplaced' | 'at'>

/**
 * Whether a filter asks where or when assets were seen. Only the report knows that, and the report has neither types nor
 * assets that were never seen. An instant that cannot be read is not now: the API refuses it.
 */
export const isByPlace = ({ location, seen, misplaced, at }: ByPlace): boolean =>
  Number(location) > 0 || isNotSeen(seen) || misplaced === 'true' || at !== ''

const SORTS: Readonly<Record<string, string>> = {
  external_key: 'asset_external_key',
  last_seen: 'asset_last_seen',
}

/**
 * The order of the list. By place it can do less, and without a filter by place it cannot sort by the last sighting: then
 * it is what was not seen for the longest time first, or by name.
 */
export function sortOf(list: ByPlace & Pick<List, 'sort'>): string {
  const field = list.sort.replace(/^-/, '')
  if (isByPlace(list)) return Object.hasOwn(SORTS, field) ? list.sort : 'last_seen'
  return field === 'last_seen' ? 'name' : list.sort
}

/** The filter, as the report takes it. Times before an instant count from it. */
export function placeQueryOf(list: List, now = Date.now()) {
  const { q, deleted, location, inside, seen, misplaced, at } = list
  return {
    sort: sortOf(list).replace(/\w+/, (field) => SORTS[field] ?? field),
    ...(q !== '' && { q }),
    ...(deleted === 'true' && { include_deleted: true }),
    ...(Number(location) > 0 && { location_id: [Number(location)], include_descendants: inside !== 'no' }),
    ...(isNotSeen(seen) && { not_seen_since: notSeenSince(seen, Date.parse(at) || now) }),
    ...(misplaced === 'true' && { misplaced: true }),
    ...(at !== '' && { at }),
  }
}

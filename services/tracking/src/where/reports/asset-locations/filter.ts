import type { SortField } from '@whereabouts/contracts/rules/query'
import { sql } from 'kysely'
import type { HomeFilter } from '../home.sql.ts'
import { LOCATION_KEY, type Sql } from '../listed.sql.ts'

export type ReportSort = 'asset_last_seen' | 'asset_external_key' | 'location_external_key'

/**
 * The request for one page, after location keys and sub-locations were resolved to ids. Lists match any of their
 * values.
 */
export type AssetLocationsFilter = {
  limit: number
  offset: number
  /** At least one field. */
  sort: readonly SortField<ReportSort>[]
  includeDeleted: boolean
  assetIds?: readonly number[] | undefined
  assetKeys?: readonly string[] | undefined
  /** `none`: only assets without a location. */
  locationIds?: readonly number[] | 'none' | undefined
  /** Only assets that were last seen before this instant. */
  notSeenSince?: string | undefined
  /** Only assets at a location that is not deleted. */
  withLocationOnly?: boolean | undefined
  /** Only assets with these homes, at home or not. */
  home?: HomeFilter | undefined
  /** Part of a name, key or tag value, in any case. Not empty. */
  q?: string | undefined
}

/** Which filters are set, of all that there are: a new one counts here without being named. */
function namesOf(filter: AssetLocationsFilter): string[] {
  const { limit: _limit, offset: _offset, sort: _sort, includeDeleted: _deleted, withLocationOnly: _located, ...own } = filter // oxfmt-ignore
  return Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

export const isFiltered = (filter: AssetLocationsFilter): boolean => namesOf(filter).length > 0

/** The statements that know only locations must not be used with any other filter. */
export const isAtMostByLocation = (filter: AssetLocationsFilter): boolean =>
  namesOf(filter).every((name) => name === 'locationIds')

export const isAtMostByHome = (filter: AssetLocationsFilter): boolean =>
  namesOf(filter).every((name) => name === 'home')

export const LATEST_FIRST: readonly SortField<ReportSort>[] = [{ field: 'asset_last_seen', descending: true }]

const columns: Record<ReportSort, Sql> = {
  asset_last_seen: sql.raw('p.observed_at'),
  asset_external_key: sql.raw('a.external_key'),
  location_external_key: LOCATION_KEY,
}

/**
 * The requested order, then the id: without it, pages would repeat or skip equal rows. The id has the direction of
 * the index of the first field. Rows without a location key come last, in both directions.
 */
export function orderBy(sort: AssetLocationsFilter['sort'], id = 'p.asset_id'): Sql {
  const [first] = sort
  const isIdDescending =
    first?.field === 'asset_last_seen'
      ? !first.descending
      : first?.field === 'asset_external_key' && first.descending
  const terms = sort.map(({ field, descending }) => {
    const last = sql.raw(field === 'location_external_key' ? ' nulls last' : '')
    return sql`${columns[field]} ${direction(descending)}${last}`
  })
  return sql.join([...terms, sql`${sql.ref(id)} ${direction(isIdDescending)}`])
}

export const direction = (descending: boolean | undefined): Sql => sql.raw(descending ? 'desc' : 'asc')

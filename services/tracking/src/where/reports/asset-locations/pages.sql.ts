import type { AssetLocationRow } from '@whereabouts/contracts/resources/tracking/tracking'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import { countByHome, isHomed, placesByHome } from '../home.sql.ts'
import { isListed, LOCATION_KEY, type Sql } from '../listed.sql.ts'
import {
  direction,
  isAtMostByHome,
  isAtMostByLocation,
  isFiltered,
  orderBy,
  type AssetLocationsFilter,
  type ReportSort,
} from './filter.ts'
import { foundAssets, isAtLocations, isNamed, isOfHome, isOldEnough, matchesSearch } from './filters.sql.ts'

/** A whole statement for the rows of one page, in order. `total`: rows on all pages. */
export type PageStatement = RawBuilder<AssetLocationRow & { total: number }>

/**
 * Reads an index in the order of the first field, up to the page, and checks each row. PostgreSQL drops the left joins
 * if nothing is sorted by them (checked in the plans). By a location, it leaves out the rows without a location key,
 * which come last, and must not be asked for `notSeenSince`. `total` is an expression.
 *
 * First pages of 100 000 assets take 2 ms by last seen, 5 ms by asset key and 4 ms by location key;
 * sorted, they would take 41, 95 and 55 ms (measured).
 */
export function walkedPage(orgId: number, filter: AssetLocationsFilter, total: Sql): PageStatement {
  const { limit, offset, sort, includeDeleted } = filter
  const field: ReportSort = sort[0]?.field ?? 'asset_last_seen'
  const isAt = isAtLocations('p', orgId, filter)
  const location = sql`left join location l on l.org_id = ${orgId} and l.id = p.location_id`
  const walks: Record<ReportSort, () => Sql> = {
    asset_last_seen: () => sql`
      select p.asset_id from (${positions(orgId, filter)}) p
      left join asset a on a.org_id = ${orgId} and a.id = p.asset_id ${location} order by ${orderBy(sort)}`,
    // Each row is checked by itself (`offset 0`). A join would sort all rows before the first page.
    asset_external_key: () => sql`
      select a.id as asset_id from asset a
      left join position p on p.org_id = ${orgId} and p.asset_id = a.id ${location}
      where a.org_id = ${orgId} and a.is_scanned and ${isListed('a', includeDeleted)} and ${
        isFiltered(filter) || filter.withLocationOnly
          ? sql`exists (select from position p
              where p.org_id = ${orgId} and p.asset_id = a.id and ${isOldEnough(filter)} and ${isAt}
                and ${isOfHome(orgId, filter, 'a.id')} offset 0)`
          : sql`true`
      } order by ${orderBy(sort, 'a.id')}`,
    // One location after the other.
    location_external_key: () => sql`
      select p.asset_id from location l cross join lateral (
        select s.asset_id from asset_place s
        where s.org_id = ${orgId} and s.location_id = l.id and ${isListed('s', includeDeleted)}
          and ${isAtLocations('s', orgId, filter)}
          and ${filter.home ? isHomed('s', filter.home, sql`l.id`) : sql`true`} offset 0) p
      where l.org_id = ${orgId} and l.deleted_at is null
      order by l.external_key ${direction(sort[0]?.descending)}, p.asset_id`,
  }
  const isPlain = field === 'asset_last_seen' && sort.length === 1 && !includeDeleted && !isFiltered(filter)
  const page = sql`${isPlain ? fixedPlan : sql``} with page as materialized (${walks[field]()} limit ${limit} offset ${offset})`
  return rowsOf(orgId, page, filter, total)
}

/** Finds all rows, sorts them, and takes the page. */
export const sortedPage = (orgId: number, filter: AssetLocationsFilter): PageStatement =>
  rowsOf(
    orgId,
    sql`with found as materialized (${matching(orgId, filter)}), page as (
      select p.asset_id from found p
      left join asset a on a.org_id = ${orgId} and a.id = p.asset_id and a.is_scanned
      left join location l on l.org_id = ${orgId} and l.id = p.location_id
      order by ${orderBy(filter.sort)} limit ${filter.limit} offset ${filter.offset})`,
    filter,
    sql`(select count(*) from found)`,
  )

/** The number of rows that match filters. */
export const countMatching = (orgId: number, filter: AssetLocationsFilter): Sql => {
  if (filter.home && isAtMostByHome(filter)) return countByHome(orgId, filter.home, filter.includeDeleted)
  return isAtMostByLocation(filter)
    ? sql`(select count(*) from asset_place s
        where s.org_id = ${orgId} and ${isAtLocations('s', orgId, filter)} and ${isListed('s', filter.includeDeleted)})`
    : sql`(select count(*) from (${matching(orgId, filter)}) p)`
}

/** By assets or by a search: the rows are found by these, and counted with the page. */
export const isSelective = ({ assetIds, assetKeys, q }: AssetLocationsFilter): boolean =>
  assetIds !== undefined || assetKeys !== undefined || q !== undefined

/**
 * The positions of all rows, from the index of the most selective filter. `offset 0` makes PostgreSQL look up each
 * asset. Without it, PostgreSQL reads all positions of the organization and hashes the assets: 10 ms instead of 4 ms
 * for 411 of 30 000 assets, equal for 1 850 (measured).
 */
function matching(orgId: number, filter: AssetLocationsFilter): Sql {
  const { assetIds, assetKeys, q, locationIds } = filter
  const positionOf = (id: string) => sql`cross join lateral (
    select * from position p where p.org_id = ${orgId} and p.asset_id = ${sql.ref(id)} offset 0) p`
  const isWanted = sql`p.minute > '-infinity' and ${isListed('p', filter.includeDeleted)} and ${isOldEnough(filter)}
    and ${isAtLocations('p', orgId, filter)}`
  const isWantedHome = isOfHome(orgId, filter)
  const select = sql`select p.asset_id, p.observed_at, p.location_id from`
  if (assetIds || assetKeys)
    return sql`${select} asset a ${positionOf('a.id')}
      where a.org_id = ${orgId} and ${isNamed(filter)} and ${matchesSearch(q)} and ${isWanted} and ${isWantedHome}`
  if (q !== undefined)
    return sql`${select} (${foundAssets(orgId, filter)}) found ${positionOf('found.id')} where ${isWanted} and ${isWantedHome}`
  if (locationIds && isAtMostByLocation(filter))
    return sql`${select} asset_place s ${positionOf('s.asset_id')}
      where s.org_id = ${orgId} and ${isAtLocations('s', orgId, filter)} and ${isWanted}`
  if (filter.home)
    return sql`${select} (${placesByHome(orgId, filter.home)}) s ${positionOf('s.asset_id')} where ${isWanted}`
  return positions(orgId, filter)
}

/** Of all rows at the locations that were not seen since. Deleted assets have their own index. */
function positions(orgId: number, filter: AssetLocationsFilter): Sql {
  const read = (isDeleted: Sql) => sql`
    select p.asset_id, p.observed_at, p.location_id from position p
    where p.org_id = ${orgId} and p.minute > '-infinity' and p.deleted_at ${isDeleted} and ${isListed('p', true)}
      and ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)} and ${isOfHome(orgId, filter)}`
  const live = read(sql`is null`)
  return filter.includeDeleted ? sql`${live} union all ${read(sql`is not null`)}` : live
}

/**
 * The end of a statement, after `with page as (select … asset_id)`. Each row is looked up by itself, because a plan for
 * all values would read those of the whole organization (`fixedPlan`).
 */
const rowsOf = (orgId: number, page: Sql, filter: AssetLocationsFilter, total: Sql): PageStatement => sql`
  ${page}
  select p.asset_id, a.external_key as asset_external_key, p.location_id,
         ${LOCATION_KEY} as location_external_key, a.deleted_at as asset_deleted_at,
         p.observed_at as asset_last_seen, p.dwell_started_at,
         floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds, ${total} as total
  from page
  cross join lateral (select asset_id, location_id, observed_at, dwell_started_at from position
    where org_id = ${orgId} and asset_id = page.asset_id offset 0) p
  cross join lateral (select external_key, deleted_at from asset
    where org_id = ${orgId} and id = page.asset_id offset 0) a
  left join lateral (select external_key, deleted_at from location
    where org_id = ${orgId} and id = p.location_id offset 0) l on true
  order by ${orderBy(filter.sort)}`

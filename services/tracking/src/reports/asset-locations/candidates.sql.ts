import { sql } from 'kysely'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { isListed, type Sql } from '../conditions.sql.ts'
import { foundAssets, isAtLocations, isOldEnough, matchesSearch } from './conditions.sql.ts'
import { isByLocation, namesAssets, type AssetLocationsFilter } from './filter.ts'

/** `asset_id` of all rows of the report and of few other assets, from the index of the most selective filter. */
export function candidates(orgId: number, filter: AssetLocationsFilter): Sql {
  const { assetIds, assetKeys, q, includeDeleted, notSeenSince } = filter
  if (assetIds) return sql`select distinct unnest(${[...assetIds]}::bigint[]) as asset_id`
  if (assetKeys)
    return sql`select id as asset_id from asset a
      where a.org_id = ${orgId} and ${anyOf('a.external_key', assetKeys, 'text')}`
  if (q === undefined && notSeenSince !== undefined) return unseen(orgId, filter)
  if (q === undefined)
    return sql`select s.asset_id from asset_place s
      where s.org_id = ${orgId} and ${isAtLocations('s', orgId, filter)} and ${isListed('s', includeDeleted)}`
  // A search that finds few assets looks up few positions.
  if (notSeenSince !== undefined)
    return sql`select p.asset_id from (${foundAssets(orgId, filter)}) found
      join position p on p.org_id = ${orgId} and p.asset_id = found.asset_id
      where ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)}`
  if (!isByLocation(filter)) return foundAssets(orgId, filter)
  return sql`select s.asset_id from (${foundAssets(orgId, filter)}) found
    join asset_place s on s.org_id = ${orgId} and s.asset_id = found.asset_id
    where ${isAtLocations('s', orgId, filter)}`
}

/**
 * `asset_id` of the rows that were not seen since an instant, from `position_seen_place` and, for the deleted ones, from
 * their own index.
 */
export function unseen(orgId: number, filter: AssetLocationsFilter): Sql {
  const read = (isDeleted: Sql) => sql`
    select p.asset_id from position p
    where p.org_id = ${orgId} and p.minute > '-infinity' and p.deleted_at ${isDeleted} and ${isListed('p', true)}
      and ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)}`
  const live = read(sql`is null`)
  return filter.includeDeleted ? sql`${live} union all ${read(sql`is not null`)}` : live
}

/**
 * `from` and `where` of the candidates that are rows, with their position `p`, asset `a` and location `l`. Needs
 * `candidate` in front. Joins only the tables that the request needs. `offset 0` makes PostgreSQL look up each
 * candidate. Without it, PostgreSQL reads all positions of the organization and hashes the candidates: 10 ms instead
 * of 4 ms for 411 candidates of 30 000 assets, equal for 1 850 (measured).
 */
export function listedCandidates(
  orgId: number,
  filter: AssetLocationsFilter,
  sort: AssetLocationsFilter['sort'] = filter.sort,
): Sql {
  const isSortedBy = (name: string) => sort.some(({ field }) => field === name)
  const q = namesAssets(filter) ? filter.q : undefined // the other candidates were found by it
  const asset = sql`cross join lateral (
    select * from asset a where a.org_id = ${orgId} and a.id = candidate.asset_id offset 0) a`
  const location = sql`left join lateral (
    select * from location l where l.org_id = ${orgId} and l.id = p.location_id offset 0) l on true`
  return sql`
    from candidate
    cross join lateral (
      select * from position p where p.org_id = ${orgId} and p.asset_id = candidate.asset_id offset 0) p
    ${q !== undefined || isSortedBy('asset_external_key') ? asset : sql``}
    ${isSortedBy('location_external_key') ? location : sql``}
    where p.minute > '-infinity' and ${isListed('p', filter.includeDeleted)}
      and ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)} and ${matchesSearch(q)}`
}

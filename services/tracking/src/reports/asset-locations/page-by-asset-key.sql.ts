import { sql } from 'kysely'
import { isListed } from '../conditions.sql.ts'
import { existsPerRow, isAtLocations, matchesSearch, wasNotSeen } from './conditions.sql.ts'
import { isByLocation, type AssetLocationsFilter } from './filter.ts'
import { fromNearerEnd, orderBy } from './order-by.sql.ts'
import { rowsOfPage, type PageStatement } from './rows-of-page.sql.ts'

/**
 * Reads `asset_listed_key` in its order, or from its end, up to the page. PostgreSQL drops the left joins if nothing
 * is sorted by them (checked in the plans).
 */
export function pageByAssetKey(orgId: number, filter: AssetLocationsFilter, total: number): PageStatement {
  const { limit, offset, isReversed } = fromNearerEnd(filter, total)
  const place = sql`asset_place s
    where s.org_id = ${orgId} and s.asset_id = a.id and ${isAtLocations('s', orgId, filter)}`
  return sql`
    with page as (
      select a.id as asset_id from asset a
      left join position p on p.org_id = ${orgId} and p.asset_id = a.id
      left join location l on l.org_id = ${orgId} and l.id = p.location_id
      where a.org_id = ${orgId} and a.is_scanned and ${isListed('a', filter.includeDeleted)}
        and ${isByLocation(filter) ? existsPerRow(place) : sql`true`} and ${wasNotSeen('a.id', orgId, filter)}
        and ${matchesSearch(filter.q)}
      order by ${orderBy(filter.sort, { id: 'a.id', isReversed })} limit ${limit} offset ${offset}
    )
    ${rowsOfPage(orgId, filter)}`
}

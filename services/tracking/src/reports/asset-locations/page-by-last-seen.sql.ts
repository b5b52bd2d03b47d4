import { fixedPlan } from '@whereabouts/db/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import { isListed, type Sql } from '../conditions.sql.ts'
import { assetMatchesSearch, isAtLocations, isOldEnough } from './conditions.sql.ts'
import { scanned } from './count-scanned.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { fromNearerEnd, orderBy } from './order-by.sql.ts'
import { rowsOfPage, type CountedRow, type PageStatement } from './rows-of-page.sql.ts'

/**
 * Reads `position_seen_place` in its order, or from its end, up to the page. PostgreSQL drops the left joins if
 * nothing is sorted by them (checked in the plans). Deleted assets have their own index, so the page is merged from
 * the beginning of both.
 */
export function pageByLastSeen(orgId: number, filter: AssetLocationsFilter, total: number): PageStatement {
  return sql`${page(orgId, filter, fromNearerEnd(filter, total))} ${rowsOfPage(orgId, filter)}`
}

/** The page and the number of rows on all pages, without filters. */
export const countedPageByLastSeen = (
  orgId: number,
  filter: AssetLocationsFilter,
): RawBuilder<CountedRow> => sql`${fixedPlan} ${page(orgId, filter, { ...filter, isReversed: false })}
  ${rowsOfPage(orgId, filter, sql`, ${scanned(orgId, filter)} as total`)}`

type Part = Pick<AssetLocationsFilter, 'limit' | 'offset'> & { isReversed: boolean }

function page(orgId: number, filter: AssetLocationsFilter, { limit, offset, isReversed }: Part): Sql {
  const order = orderBy(filter.sort, { isReversed })
  const joins = sql`
    left join asset a on a.org_id = ${orgId} and a.id = p.asset_id
    left join location l on l.org_id = ${orgId} and l.id = p.location_id`
  const read = (isDeleted: Sql, rows: number, skipped: number) => sql`
    select p.asset_id, p.observed_at, p.location_id from position p ${joins}
    where p.org_id = ${orgId} and p.minute > '-infinity' and p.deleted_at ${isDeleted}
      and ${isListed('p', true)} and ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)}
      and ${assetMatchesSearch('p.asset_id', orgId, filter.q)}
    order by ${order} limit ${rows} offset ${skipped}`
  const merged = sql`
    select p.asset_id from (
      (${read(sql`is null`, offset + limit, 0)}) union all (${read(sql`is not null`, offset + limit, 0)})
    ) p ${joins}
    order by ${order} limit ${limit} offset ${offset}`
  return sql`with page as materialized (${filter.includeDeleted ? merged : read(sql`is null`, limit, offset)})`
}

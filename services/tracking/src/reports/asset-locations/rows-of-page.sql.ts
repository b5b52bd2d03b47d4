import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import { sql, type RawBuilder } from 'kysely'
import { LOCATION_KEY, type Sql } from '../conditions.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { orderBy } from './order-by.sql.ts'

/** A whole statement for the rows of one page, in order. */
export type PageStatement = RawBuilder<AssetLocationRow>

/**
 * The end of every page statement, after `with page as (select … asset_id)`. `also`: more columns, each after a
 * comma.
 */
export const rowsOfPage = <Row extends AssetLocationRow = AssetLocationRow>(
  orgId: number,
  { sort }: AssetLocationsFilter,
  also: Sql = sql``,
): RawBuilder<Row> => sql`
  select p.asset_id, a.external_key as asset_external_key, p.location_id,
         ${LOCATION_KEY} as location_external_key, a.deleted_at as asset_deleted_at,
         p.observed_at as asset_last_seen, p.dwell_started_at,
         floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds${also}
  from page
  join position p on p.org_id = ${orgId} and p.asset_id = page.asset_id
  join asset a on a.org_id = ${orgId} and a.id = page.asset_id
  left join location l on l.org_id = ${orgId} and l.id = p.location_id
  order by ${orderBy(sort)}`

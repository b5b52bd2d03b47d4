import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import { sql, type RawBuilder } from 'kysely'
import { LOCATION_KEY, type Sql } from '../conditions.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { orderBy } from './order-by.sql.ts'

/** A whole statement for the rows of one page, in order. */
export type PageStatement = RawBuilder<AssetLocationRow>

/** `total`: rows on all pages. */
export type CountedRow = AssetLocationRow & { total: number }

/**
 * The end of every page statement, after `with page as (select … asset_id)`. `also`: more columns, each after a
 * comma. Each row is looked up by itself, because a plan for all values would read those of the whole organization
 * (`fixedPlan`).
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
  cross join lateral (select asset_id, location_id, observed_at, dwell_started_at from position
    where org_id = ${orgId} and asset_id = page.asset_id offset 0) p
  cross join lateral (select external_key, deleted_at from asset
    where org_id = ${orgId} and id = page.asset_id offset 0) a
  left join lateral (select external_key, deleted_at from location
    where org_id = ${orgId} and id = p.location_id offset 0) l on true
  order by ${orderBy(sort)}`

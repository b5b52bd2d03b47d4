import { sql } from 'kysely'
import { candidates, listedCandidates } from './candidates.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { orderBy } from './order-by.sql.ts'
import { rowsOfPage, type PageStatement } from './rows-of-page.sql.ts'

/** Finds all rows, sorts them, and takes the page. For few rows. */
export const pageFromCandidates = (orgId: number, filter: AssetLocationsFilter): PageStatement => sql`
  with candidate as materialized (${candidates(orgId, filter)}),
  page as (
    select p.asset_id ${listedCandidates(orgId, filter)}
    order by ${orderBy(filter.sort)} limit ${filter.limit} offset ${filter.offset}
  )
  ${rowsOfPage(orgId, filter)}`

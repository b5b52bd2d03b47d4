import { sql } from 'kysely'
import type { Sql } from '../conditions.sql.ts'
import { candidates } from './candidates.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'

/**
 * Counts the rows that match a search. Returns up to `idsAtMost` ids as well, because searching twice costs the most.
 */
export const countFound = (orgId: number, filter: AssetLocationsFilter, idsAtMost: number): Sql => sql`
  select count(*) as total, case when count(*) <= ${idsAtMost} then array_agg(asset_id) end as "foundIds"
  from (${candidates(orgId, filter)}) candidate`

import { sql } from 'kysely'
import type { Sql } from '../conditions.sql.ts'
import { candidates, listedCandidates } from './candidates.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'

/** Counts the rows among the requested assets. */
export const countCandidates = (orgId: number, filter: AssetLocationsFilter): Sql => sql`
  with candidate as materialized (${candidates(orgId, filter)})
  select count(*) as total ${listedCandidates(orgId, filter, [])}`

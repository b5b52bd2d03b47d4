import { sql } from 'kysely'
import type { Sql } from '../conditions.sql.ts'
import { unseen } from './candidates.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'

/** Counts the rows that were not seen since an instant. */
export const countUnseen = (orgId: number, filter: AssetLocationsFilter): Sql =>
  sql`select count(*) as total from (${unseen(orgId, filter)}) p`

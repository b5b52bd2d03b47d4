import { sql } from 'kysely'
import { isListed, type Sql } from '../conditions.sql.ts'
import { isAtLocations } from './conditions.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'

/** Counts the rows at the requested locations, from `asset_place_location` alone. */
export const countAtLocations = (orgId: number, filter: AssetLocationsFilter): Sql => sql`
  select count(*) as total from asset_place s
  where s.org_id = ${orgId} and ${isAtLocations('s', orgId, filter)} and ${isListed('s', filter.includeDeleted)}`

import { keptCount } from '@whereabouts/db/schema/asset-counts'
import { sql } from 'kysely'
import { isListed, type Sql } from '../listed.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'

/** The number of all rows without filters, from indexes alone. */
export function countAll(orgId: number, { includeDeleted, withLocationOnly }: AssetLocationsFilter): Sql {
  const all = includeDeleted ? sql`(${countLive(orgId)} + ${deleted(orgId)})` : countLive(orgId)
  return withLocationOnly ? sql`(${all} - ${withoutLocation(orgId, includeDeleted)})` : all
}

/**
 * All that are not deleted, minus those that expired or are not valid yet. The first number is kept (ADR 71), so only the few
 * others are read.
 */
export function countLive(orgId: number): Sql {
  const outside = sql`select count(*) from asset a where a.org_id = ${orgId} and a.is_scanned and a.deleted_at is null`
  return sql`(${keptCount(orgId)} - (${outside} and a.valid_to <= now()) - (${outside} and a.valid_from > now()))`
}

const deleted = (orgId: number): Sql => sql`(
  select count(*) from position p
  where p.org_id = ${orgId} and p.minute > '-infinity' and p.deleted_at is not null and ${isListed('p', true)})`

/** Assets without a location or at a deleted one: fewer than the others. */
function withoutLocation(orgId: number, includeDeleted: boolean): Sql {
  const listed = sql`select count(*) from asset_place s where s.org_id = ${orgId} and ${isListed('s', includeDeleted)}`
  const gone = sql`select l.id from location l where l.org_id = ${orgId} and l.deleted_at is not null`
  return sql`((${listed} and s.location_id is null) + (${listed} and s.location_id = any(array(${gone}))))`
}

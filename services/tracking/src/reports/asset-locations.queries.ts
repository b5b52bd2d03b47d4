import { sql } from 'kysely'
import type { AssetLocationRow, AssetLocationsQuery } from '@whereabouts/contracts/tracking'
import type { Db } from '../db.ts'

const SORT_COLUMNS = {
  asset_last_seen: 'p.observed_at',
  asset_external_key: 'a.external_key',
  location_external_key: 'case when l.deleted_at is null then l.external_key end',
} as const

/** The page as the contract lists it: scanned assets whose window holds now, with where they were last seen (D7.1). */
export async function listAssetLocations(
  db: Db,
  orgId: number,
  query: AssetLocationsQuery,
): Promise<AssetLocationRow[]> {
  const { rows } = await sql<AssetLocationRow>`
    select p.asset_id, a.external_key as asset_external_key, p.location_id,
           case when l.deleted_at is null then l.external_key end as location_external_key,
           a.deleted_at as asset_deleted_at, p.observed_at as asset_last_seen, p.dwell_started_at,
           floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds
    ${from(orgId, query)}
    order by ${orderBy(query)} limit ${query.limit} offset ${query.offset}`.execute(db)
  return rows
}

export async function countAssetLocations(
  db: Db,
  orgId: number,
  query: AssetLocationsQuery,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total ${from(orgId, query)}`.execute(db)
  return rows[0]?.total ?? 0
}

function from(orgId: number, query: AssetLocationsQuery) {
  const conditions = [
    sql`p.org_id = ${orgId}`,
    sql`isfinite(p.minute)`,
    sql`a.valid_from <= now() and (a.valid_to is null or a.valid_to > now())`,
    ...(query.include_deleted ? [] : [sql`a.deleted_at is null`]),
    ...(query.asset_id ? [sql`p.asset_id = any(${query.asset_id}::bigint[])`] : []),
    ...(query.asset_external_key ? [sql`a.external_key = any(${query.asset_external_key}::text[])`] : []),
    ...(query.location_id ? [sql`p.location_id = any(${query.location_id}::bigint[])`] : []),
    ...(query.location_external_key
      ? [sql`l.deleted_at is null and l.external_key = any(${query.location_external_key}::text[])`]
      : []),
    ...(query.q ? [matches(query.q)] : []),
  ]
  return sql`
    from position p
    join asset a on a.org_id = p.org_id and a.id = p.asset_id
    left join location l on l.org_id = p.org_id and l.id = p.location_id
    where ${sql.join(conditions, sql` and `)}`
}

/** A literal, case-insensitive substring of name, key or a live tag's value: `%` and `_` match themselves (D8.2). */
function matches(q: string) {
  const pattern = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql`(a.name ilike ${pattern} or a.external_key ilike ${pattern} or exists (
    select from tag t where t.org_id = a.org_id and t.asset_id = a.id and t.deleted_at is null and t.value ilike ${pattern}))`
}

/** The asset's id comes last, so that pages neither repeat nor skip a row among equals. */
function orderBy(query: AssetLocationsQuery) {
  const fields = query.sort ?? [{ field: 'asset_last_seen' as const, descending: true }]
  const parts = fields.map(({ field, descending }) =>
    sql.raw(`${SORT_COLUMNS[field]} ${descending ? 'desc' : 'asc'} nulls last`),
  )
  return sql.join([...parts, sql.raw('p.asset_id')])
}

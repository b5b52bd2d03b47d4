import { sql } from 'kysely'
import { namesAssets, type ReportAsk, type ReportSort } from './report.ask.ts'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { both, effective, found, matches, placed, type Sql } from './report.sql.ts'

/**
 * All rows, by whatever finds them with the least work; the rest of each is looked up (see `probe`), as far as it is
 * searched in or sorted by.
 */
export function gathered(orgId: number, ask: ReportAsk): Sql {
  const searched = ask.q !== undefined && namesAssets(ask) ? matches(ask.q) : undefined
  const conditions = both(
    sql`p.minute > '-infinity' and ${effective('p', ask.includeDeleted)}`,
    placed('p', orgId, ask),
    searched,
  )
  const isSortedBy = (field: ReportSort) => ask.sort.some((term) => term.field === field)
  return sql`
    with candidate as materialized (${candidates(orgId, ask)})
    select p.asset_id from candidate
    cross join lateral (
      select * from position p where p.org_id = ${orgId} and p.asset_id = candidate.asset_id offset 0) p
    ${searched || isSortedBy('asset_external_key') ? assetBeside(orgId) : sql``}
    ${isSortedBy('location_external_key') ? locationBeside(orgId) : sql``}
    where ${conditions}`
}

const assetBeside = (orgId: number): Sql => sql`cross join lateral (
  select * from asset a where a.org_id = ${orgId} and a.id = candidate.asset_id offset 0) a`

const locationBeside = (orgId: number): Sql => sql`left join lateral (
  select * from location l where l.org_id = ${orgId} and l.id = p.location_id offset 0) l on true`

/** `asset_id` of what may be among the rows, and little else. */
export function candidates(orgId: number, ask: ReportAsk): Sql {
  const { assetIds, assetKeys, q, includeDeleted } = ask
  if (assetIds) return sql`select distinct unnest(${[...assetIds]}::bigint[]) as asset_id`
  if (assetKeys)
    return sql`select id as asset_id from asset a
      where a.org_id = ${orgId} and ${anyOf('a.external_key', assetKeys, 'text')}`
  const where = placed('s', orgId, ask)
  if (q !== undefined && !where) return found(orgId, q, includeDeleted)
  if (q !== undefined)
    return sql`select s.asset_id from (${found(orgId, q, includeDeleted)}) f
      join asset_place s on s.org_id = ${orgId} and s.asset_id = f.asset_id where ${where}`
  return sql`select s.asset_id from asset_place s
    where ${both(sql`s.org_id = ${orgId}`, where, effective('s', includeDeleted))}`
}

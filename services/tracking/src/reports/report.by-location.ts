import { sql } from 'kysely'
import type { ReportAsk } from './report.ask.ts'
import { both, effective, found, matches, orderBy, placed, probe, type Sql } from './report.sql.ts'

/**
 * `asset_id` of the rows of one page near the beginning, sorted by location alone: those at one location after the
 * other. Not those without a key to sort by, which come after all of them.
 */
export function walkLocations(orgId: number, ask: ReportAsk): Sql {
  const { limit, offset, sort, q, includeDeleted } = ask
  return sql`
    select p.asset_id from location l cross join lateral (
      select s.asset_id from asset_place s
      where ${both(
        sql`s.org_id = ${orgId} and s.location_id = l.id`,
        effective('s', includeDeleted),
        placed('s', orgId, ask),
      )} offset 0
    ) p
    ${q === undefined ? sql`` : probe(sql`asset a where a.org_id = ${orgId} and a.id = p.asset_id and ${matches(q)}`)}
    where l.org_id = ${orgId} and l.deleted_at is null
    order by l.external_key ${sql.raw(sort[0]?.descending ? 'desc' : 'asc')}, p.asset_id
    limit ${limit} offset ${offset}`
}

/**
 * `asset_id` of the rows of one page, sorted by location first: counts what is at each location, which says at which
 * ones the page is, and reads only there. What is at no location, or at one without a key, comes last, all together.
 * The limit at the end cuts nothing off and tells the planner how few rows there are. `total` is how many there are on all
 * pages, which has been counted on the way. Counted in the order of the index, or the planner would rather read the table.
 */
export function byLocation(orgId: number, ask: ReportAsk): Sql {
  const { limit, offset, sort, q, includeDeleted } = ask
  const listed = both(
    sql`s.org_id = ${orgId}`,
    effective('s', includeDeleted),
    placed('s', orgId, ask),
    q === undefined ? undefined : sql`s.asset_id in (select asset_id from found)`,
  )
  const direction = sql.raw(sort[0]?.descending ? 'desc' : 'asc')
  const keyless = sql`(s.location_id is null or s.location_id = any(array(select id from keyless where id is not null)))`
  return sql`
    with found as materialized (${q === undefined ? sql`select` : found(orgId, q, includeDeleted)}),
    held as materialized (
      select h.location_id as id, count(*) as held
      from (select s.location_id from asset_place s where ${listed} order by s.location_id offset 0) h
      group by h.location_id
    ), keyed as materialized (
      select h.id, h.held, (sum(h.held) over (order by l.external_key ${direction}) - h.held)::bigint as before
      from held h join location l on l.org_id = ${orgId} and l.id = h.id and l.deleted_at is null
    ), keyless as materialized (
      select id, held from held where id is null or id not in (select id from keyed)
    ), stretch as (
      select id, held, before from keyed union all
      select null, (select sum(held)::bigint from keyless), (select coalesce(sum(held), 0)::bigint from keyed)
    )
    select here.asset_id, (select sum(held)::bigint from held) as total from stretch cross join lateral (
      ${part(orgId, ask, sql`${listed} and s.location_id = stretch.id`)} union all
      ${part(orgId, ask, sql`${listed} and stretch.id is null and ${keyless}`)}
    ) here
    where stretch.before < ${offset + limit} and stretch.before + stretch.held > ${offset} limit ${limit}`
}

/** What the page has of one stretch of the order. */
function part(orgId: number, { limit, offset, sort }: ReportAsk, where: Sql): Sql {
  const rest = sort.slice(1)
  const beside = sql`
    join position p on p.org_id = ${orgId} and p.asset_id = s.asset_id
    join asset a on a.org_id = ${orgId} and a.id = s.asset_id
    left join location l on l.org_id = ${orgId} and l.id = s.location_id`
  const order = rest.length === 0 ? sql`s.asset_id` : orderBy(rest, { idDescending: false })
  return sql`(
    select s.asset_id from asset_place s ${rest.length === 0 ? sql`` : beside} where ${where} order by ${order}
    limit least(stretch.held, ${offset + limit} - stretch.before) - greatest(${offset} - stretch.before, 0)
    offset greatest(${offset} - stretch.before, 0))`
}

import { sql, type RawBuilder } from 'kysely'
import { isListed, type Sql } from '../conditions.sql.ts'
import { foundAssets, isAtLocations, wasNotSeen } from './conditions.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { orderBy } from './order-by.sql.ts'
import { rowsOfPage, type CountedRow } from './rows-of-page.sql.ts'

/**
 * Counts the rows at each location, which tells at which locations the page is, and reads only those. Rows without a
 * location key come last, together. Two hints for PostgreSQL (measured, 30 000 assets). `order by` makes it count in
 * the order of the index alone; without it, it may read the rows of the table: up to 30 ms instead of 8 ms. The last
 * limit, which cuts nothing off, says how few rows there are; without it, PostgreSQL also hashes all locations: up to
 * 19 ms instead of 8 ms.
 */
export function pageByLocationCounts(orgId: number, filter: AssetLocationsFilter): RawBuilder<CountedRow> {
  const { limit, offset, sort, q, includeDeleted } = filter
  const listed = sql`
    s.org_id = ${orgId} and ${isListed('s', includeDeleted)} and ${isAtLocations('s', orgId, filter)}
    and ${wasNotSeen('s.asset_id', orgId, filter)} and ${q === undefined ? sql`true` : sql`s.asset_id in (select asset_id from found)`}`
  const hasNoKey = sql`(s.location_id is null or s.location_id = any(array(select id from keyless where id is not null)))`
  return sql`
    with found as materialized (${q === undefined ? sql`select` : foundAssets(orgId, filter)}),
    counted as materialized (
      select c.location_id as id, count(*) as held
      from (select s.location_id from asset_place s where ${listed} order by s.location_id) c
      group by c.location_id
    ), keyed as materialized (
      select c.id, c.held,
             (sum(c.held) over (order by l.external_key ${sql.raw(sort[0]?.descending ? 'desc' : 'asc')}) - c.held)::bigint as before
      from counted c join location l on l.org_id = ${orgId} and l.id = c.id and l.deleted_at is null
    ), keyless as materialized (
      select id, held from counted where id is null or id not in (select id from keyed)
    ), part as (
      select id, held, before from keyed union all
      select null, (select sum(held)::bigint from keyless), (select coalesce(sum(held), 0)::bigint from keyed)
    ), page as (
      select here.asset_id from part cross join lateral (
        ${rowsOfPart(orgId, filter, sql`${listed} and s.location_id = part.id`)} union all
        ${rowsOfPart(orgId, filter, sql`${listed} and part.id is null and ${hasNoKey}`)}
      ) here
      where part.before < ${offset + limit} and part.before + part.held > ${offset} limit ${limit}
    )
    ${rowsOfPage(orgId, filter, sql`, (select sum(held)::bigint from counted) as total`)}`
}

/** The rows that the page takes from one location, or from those without a key. */
function rowsOfPart(orgId: number, { limit, offset, sort }: AssetLocationsFilter, where: Sql): Sql {
  const skipped = sql`greatest(${offset} - part.before, 0)`
  return sql`(
    select s.asset_id from asset_place s
    left join position p on p.org_id = ${orgId} and p.asset_id = s.asset_id
    left join asset a on a.org_id = ${orgId} and a.id = s.asset_id
    left join location l on l.org_id = ${orgId} and l.id = s.location_id
    where ${where} order by ${orderBy(sort.slice(1), { id: 's.asset_id', isIdDescending: false })}
    limit least(part.held, ${offset + limit} - part.before) - ${skipped} offset ${skipped})`
}

import { sql, type RawBuilder } from 'kysely'
import type { HourOfMovements } from '@whereabouts/contracts/movements'
import { anyOf } from '@whereabouts/db/sql-conditions'
import type { Db } from '../../db.ts'
import type { Window } from './movement-summary.rules.ts'
import type { Sql } from '../conditions.sql.ts'

/** A location, `isDeep`: with its sub-locations. */
export type Area = { locationIds: readonly number[]; isDeep: boolean }

/**
 * The hours of the window that have movements: a row at another location than the row before it, or at the first
 * location. An index of positions lists the assets that were seen since the window began. For each, PostgreSQL reads
 * its rows in the window and one row before it: the window function keeps `moved` a subquery, so that it cannot
 * become a join that reads all scans.
 */
export async function countMovements(
  db: Db,
  orgId: number,
  { fromMs, toMs }: Window,
  area?: Area,
): Promise<HourOfMovements[]> {
  const [from, to] = [instant(fromMs), instant(toMs)]
  const { rows } = await sql<HourOfMovements>`
    select date_trunc('hour', moved.observed_at, 'UTC') as hour, count(*) as moves${inAndOut(area)}
    from (${seenSince(orgId, from)}) seen
    cross join lateral (${steps(orgId, minute(fromMs), to)}) moved
    where moved.to_id is distinct from moved.from_id and moved.to_id is not null and moved.observed_at >= ${from} and moved.observed_at < ${to}
    group by 1`.execute(db)
  return rows
}

const instant = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
const minute = (ms: number) => instant(Math.floor(ms / 60_000) * 60_000)

function inAndOut(area: Area | undefined): RawBuilder<unknown> {
  if (area === undefined) return sql``
  const [ends, starts] = ['to_id', 'from_id'].map(
    // Null is outside.
    (column) => sql`coalesce(${anyOf(`moved.${column}`, area.locationIds, 'bigint')}, false)`,
  ) as [Sql, Sql]
  const within = area.isDeep ? sql`, count(*) filter (where ${ends} and ${starts}) as within` : sql``
  return sql`, count(*) filter (where ${ends} and not ${starts}) as in,
    count(*) filter (where ${starts} and not ${ends}) as out${within}`
}

/**
 * In two parts, because deleted assets, which also count, have their own index. In one part, PostgreSQL reads all
 * positions of the organization: 9 ms instead of 0.6 ms for one hour (measured, 30 000 assets).
 */
const seenSince = (orgId: number, from: Sql): Sql =>
  sql.join(
    ['is null', 'is not null'].map(
      (deleted) => sql`
      select p.asset_id from position p
      where p.org_id = ${orgId} and p.minute > '-infinity' and p.valid_from is not null
        and p.deleted_at ${sql.raw(deleted)} and p.observed_at >= ${from}`,
    ),
    sql` union all `,
  )

/** The rows of the asset `seen` in the window, each with the location before it. Only the first row needs a lookup. */
const steps = (orgId: number, firstMinute: Sql, to: Sql): Sql => sql`
  select s.observed_at, s.location_id as to_id,
         case when row_number() over in_order > 1 then lag(s.location_id) over in_order else (
           select b.location_id from scan b
           where b.org_id = ${orgId} and b.asset_id = seen.asset_id and b.minute < ${firstMinute}
           order by b.minute desc limit 1) end as from_id
  from scan s
  where s.org_id = ${orgId} and s.asset_id = seen.asset_id and s.minute >= ${firstMinute} and s.minute < ${to}
  window in_order as (order by s.minute)`

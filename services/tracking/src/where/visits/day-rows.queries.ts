import { anyOf } from '@whereabouts/db/sql-conditions'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { unpackSeen, type PackedDay } from '../../positions/packed/day-codec.ts'
import type { Day } from '../../positions/packed/day-rows.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'
import { microsecondsIn } from '../history/page.queries.ts'

/** A row of history; `at` is in microseconds since 1970. */
export type Row = { at: number; location_id: number | null }

const dateOf = (day: Day) => sql`(date '1970-01-01' + ${day}::int)`
const startOf = (day: RawBuilder<unknown>) => sql`(${day}::timestamp at time zone 'UTC')`

/** The rows of assets on a day of UTC, of each asset in their order. */
export async function rowsOfDay(
  db: Db,
  orgId: number,
  day: Day,
  assetIds: readonly number[] | undefined,
): Promise<Map<number, Row[]>> {
  const ofAssets = (column: string) => (assetIds ? sql`and ${anyOf(column, assetIds, 'bigint')}` : sql``)
  const date = dateOf(day)
  const found = new Map<number, Row[]>()
  // One statement, so that a day that is packed meanwhile is read once.
  const { rows } = await sql<Row & PackedDay & { asset_id: number; is_packed: boolean }>`${customPlan}
    select s.asset_id, false as is_packed, ${microsecondsIn('s.observed_at')} as at, s.location_id, s.minute,
           null::bytea as seen, null::bytea as detail, null::bytea as extra
    from scan s
    where s.org_id = ${orgId} and s.minute >= ${startOf(date)} and s.minute < ${startOf(sql`(${date} + 1)`)}
      and s.minute >= ${PACKED_UNTIL} ${ofAssets('s.asset_id')}
    union all
    select d.asset_id, true, null, null, null, d.seen, d.detail, d.extra from day_packed d
    where d.org_id = ${orgId} and d.day = ${date} and d.day < ${PACKED_UNTIL_DAY} ${ofAssets('d.asset_id')}
    order by 1, 5`.execute(db)
  await inSlices(rows, (row) => {
    const ofAsset = found.get(row.asset_id) ?? []
    found.set(row.asset_id, ofAsset)
    if (row.is_packed) ofAsset.push(...unpackSeen(day, row))
    else ofAsset.push({ at: row.at, location_id: row.location_id })
  })
  return found
}

/** The last row of each asset before a day of UTC. */
export async function rowsBeforeDay(
  db: Db,
  orgId: number,
  day: Day,
  assetIds: readonly number[],
): Promise<Map<number, Row>> {
  if (assetIds.length === 0) return new Map()
  const date = dateOf(day)
  const { rows } = await sql<Row & { asset_id: number }>`${customPlan}
    select a.id as asset_id, ${microsecondsIn('coalesce(s.observed_at, d.last_at)')} as at,
           case when s.observed_at is null then d.last_location_id else s.location_id end as location_id
    from unnest(${bigints(assetIds)}) as a (id)
    left join lateral (
      select s.observed_at, s.location_id from scan s
      where s.org_id = ${orgId} and s.asset_id = a.id and s.minute < ${startOf(date)} and s.minute >= ${PACKED_UNTIL}
      order by s.minute desc limit 1 offset 0) s on true
    left join lateral (
      select d.last_at, d.last_location_id from day_packed d
      where d.org_id = ${orgId} and d.asset_id = a.id and d.day < ${date} and d.day < ${PACKED_UNTIL_DAY}
      order by d.day desc limit 1 offset 0) d on s.observed_at is null
    where s.observed_at is not null or d.last_at is not null`.execute(db)
  return new Map(rows.map(({ asset_id, ...row }) => [asset_id, row]))
}

/** When the oldest movement was, in microseconds since 1970; undefined if there is none. */
export async function firstMovement(db: Db, orgId: number): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`
    select ${microsecondsIn('m.observed_at')} as at from movement m where m.org_id = ${orgId} order by m.minute limit 1`.execute(
    db,
  )
  return rows[0]?.at
}

/** Assets that are at a location now and were seen since an instant. */
export async function findSeenSince(db: Db, orgId: number, sinceMs: number): Promise<number[]> {
  const { rows } = await sql<{ asset_id: number }>`
    select p.asset_id from position p where p.org_id = ${orgId} and p.location_id is not null
      and p.observed_at >= ${new Date(sinceMs).toISOString()}::timestamptz`.execute(db)
  return rows.map((row) => row.asset_id)
}

import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { unpackStretches, type PackedDay, type Stretch } from '../../positions/packed/day-codec.ts'
import { DAY_MS, dayOf, type Day } from '../../positions/packed/day-rows.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'
import { microsecondsIn } from '../history/page.queries.ts'

/** Whole minutes of one day of UTC, in microseconds since 1970, without the last one. */
export type Span = { from: number; to: number }

/** `rows` is how many rows there are in these stretches; those of packed days are `packedRows`. */
export type Found = { stretches: Map<number, Stretch[]>; rows: number; packedRows: number }

const MINUTE_US = 60_000_000
const instant = (us: number) => sql`(timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond')`
const dateOf = (day: Day) => sql`(date '1970-01-01' + ${day}::int)`

/**
 * The stretches of assets, of each asset in their order. Where there is a row before the span on the same day, or not more than
 * `maxUs` before it, its stretch comes first; of a packed day, all stretches from its start. PostgreSQL reads each row that is not
 * packed, and sends the first and the last one of each stretch.
 */
export async function findStretches(
  db: Db,
  orgId: number,
  { from, to, maxUs }: Span & { maxUs: number },
  assetIds: readonly number[],
): Promise<Found> {
  const day = dayOf(from / 1_000)
  const inScan = sql`s.org_id = ${orgId} and s.asset_id = a.id and s.minute >= ${PACKED_UNTIL}
    and s.minute >= ${instant(from - maxUs - MINUTE_US)}`
  type Row = { asset_id: number; at: number; location_id: number | null; is_first: boolean; n: number }
  // One statement, so that a day that is packed meanwhile is read once.
  const { rows } = await sql<Row & (PackedDay | { seen: null })>`${customPlan}
    select a.id as asset_id, ${microsecondsIn('r.observed_at')} as at, r.location_id, r.is_first, r.n::int,
           null::bytea as seen, null::bytea as detail, null::bytea as extra
    from unnest(${bigints(assetIds)}) as a (id) cross join lateral (
      select *, row_number() over w as n,
        (lag(minute) over w is null or location_id is distinct from lag(location_id) over w
          or observed_at - lag(observed_at) over w > ${maxUs}::bigint * interval '1 microsecond') as is_first,
        (lead(minute) over w is null or location_id is distinct from lead(location_id) over w
          or lead(observed_at) over w - observed_at > ${maxUs}::bigint * interval '1 microsecond') as is_last
      from (
        select s.minute, s.observed_at, s.location_id from scan s
        where ${inScan} and s.minute < ${instant(to)} and s.minute >= coalesce((
          select s.minute from scan s where ${inScan} and s.minute < ${instant(from)}
          order by s.minute desc limit 1), ${instant(from)})
        order by s.minute offset 0) s
      window w as (order by minute)) r
    where r.is_first or r.is_last
    union all
    select d.asset_id, null, null, null, d.n, d.seen, d.detail, d.extra
    from unnest(${bigints(assetIds)}) as a (id) join day_packed d on d.asset_id = a.id
    where d.org_id = ${orgId} and d.day = ${dateOf(day)} and d.day < ${PACKED_UNTIL_DAY}
    order by 1, 2`.execute(db)
  let counted = 0
  const found: Found = { stretches: new Map(), rows: 0, packedRows: 0 }
  await inSlices(rows, (row) => {
    const { asset_id, at, location_id } = row
    if (row.seen !== null) {
      found.stretches.set(asset_id, unpackStretches(day, row, { to, maxUs }))
      found.packedRows += row.n
      return
    }
    const ofAsset = found.stretches.get(asset_id) ?? []
    found.stretches.set(asset_id, ofAsset)
    const current = ofAsset.at(-1)
    found.rows += row.n - (current ? counted : 0)
    counted = row.n
    if (row.is_first || !current) ofAsset.push({ at, last: at, location_id })
    else current.last = at
  })
  return found
}

/** Where each asset was last seen before a day of UTC, if this is in a packed day not more than `maxUs` before. */
export async function lastOfPackedDays(
  db: Db,
  orgId: number,
  { day, maxUs }: { day: Day; maxUs: number },
  assetIds: readonly number[],
): Promise<Map<number, Stretch>> {
  if (assetIds.length === 0) return new Map()
  const { rows } = await sql<Stretch & { asset_id: number }>`${customPlan}
    select a.id as asset_id, ${microsecondsIn('d.last_at')} as at, ${microsecondsIn('d.last_at')} as last, d.last_location_id as location_id
    from unnest(${bigints(assetIds)}) as a (id) cross join lateral (
      select d.last_at, d.last_location_id from day_packed d
      where d.org_id = ${orgId} and d.asset_id = a.id and d.day < ${dateOf(day)}
        and d.day >= ${dateOf(dayOf(day * DAY_MS - maxUs / 1_000) - 1)} and d.day < ${PACKED_UNTIL_DAY}
      order by d.day desc limit 1 offset 0) d`.execute(db)
  return new Map(rows.map(({ asset_id, ...stretch }) => [asset_id, stretch]))
}

/** The assets that have been seen. */
export async function findSeenAssets(db: Db, orgId: number): Promise<number[]> {
  const { rows } = await sql<{ asset_id: number }>`
    select p.asset_id from position p where p.org_id = ${orgId} and p.minute > '-infinity' order by p.asset_id`.execute(
    db,
  )
  return rows.map((row) => row.asset_id)
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

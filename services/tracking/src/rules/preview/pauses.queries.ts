import { anyOf } from '@whereabouts/db/sql-conditions'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { unpackStretches, type PackedDay } from '../../positions/packed/day-codec.ts'
import type { Day } from '../../positions/packed/day-rows.ts'
import { DAY_NUMBER } from '../../positions/packed/packed-days.queries.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'
import { epochMs } from '../../sql-times.ts'

type Wanted = {
  orgId: number
  /** All if undefined. */
  assetIds: readonly number[] | undefined
  fromMs: number
  toMs: number
  /** The shortest pause that matters. */
  longMs: number
  signal?: AbortSignal | undefined
}

/** Where pauses of an asset begin and end, and its first and last row: in milliseconds since 1970, in order. */
export type Pauses = Map<number, number[]>

const MINUTE_MS = 60_000

/**
 * When each asset was seen, without what lies between rows that follow each other soon enough. A packed day is unpacked only if a
 * pause may be hidden in it: if its rows do not fill it.
 */
export async function readPauses(db: Db, wanted: Wanted): Promise<Pauses> {
  const found: Pauses = new Map()
  const note = (assetId: number, atMs: number) => {
    if (atMs < wanted.fromMs || atMs > wanted.toMs) return
    const known = found.get(assetId)
    if (!known) {
      found.set(assetId, [atMs])
      return
    }
    const last = known.at(-1) ?? 0
    const isNear =
      known.length > 1 && atMs - last < wanted.longMs && last - (known.at(-2) ?? 0) < wanted.longMs
    if (isNear) known[known.length - 1] = atMs
    else known.push(atMs)
  }
  await inSlices(await packedDays(db, wanted), (day) => {
    wanted.signal?.throwIfAborted()
    if (mayHidePause(day, wanted.longMs))
      for (const { at, last } of unpackStretches(day.day, day, {
        to: Infinity,
        maxUs: wanted.longMs * 1_000 - 1,
      })) {
        note(day.asset_id, Math.floor(at / 1_000))
        if (last > at) note(day.asset_id, Math.floor(last / 1_000))
      }
    else [day.first, day.last].forEach((atMs) => note(day.asset_id, atMs))
  })
  await inSlices(await newRows(db, wanted), ({ asset_id, at }) => note(asset_id, at))
  return found
}

/** Rows of a day are a minute apart at least. */
const mayHidePause = ({ first, last, n }: PackedRow, longMs: number) =>
  last - first - (n - 2) * MINUTE_MS >= longMs

type PackedRow = PackedDay & { asset_id: number; day: Day; first: number; last: number; n: number }

const ofAssets = ({ assetIds }: Wanted) =>
  assetIds ? sql`and ${anyOf('asset_id', assetIds, 'bigint')}` : sql``
const iso = (ms: number) => new Date(ms).toISOString()

async function packedDays(db: Db, wanted: Wanted): Promise<PackedRow[]> {
  const { rows } = await sql<PackedRow>`${customPlan}
    select asset_id, ${DAY_NUMBER} as day, ${epochMs('first_at')} as first, ${epochMs('last_at')} as last, n, seen, detail, extra
    from day_packed d
    where org_id = ${wanted.orgId} and day < ${PACKED_UNTIL_DAY} ${ofAssets(wanted)}
      and day >= ${iso(wanted.fromMs)}::date and day <= ${iso(wanted.toMs)}::date
    order by asset_id, day`.execute(db)
  return rows
}

async function newRows(db: Db, wanted: Wanted): Promise<{ asset_id: number; at: number }[]> {
  const { rows } = await sql<{ asset_id: number; at: number }>`${customPlan}
    select asset_id, ${epochMs('observed_at')} as at from (
      select asset_id, minute, observed_at,
             lag(minute) over w as before, lead(minute) over w as after
      from scan where org_id = ${wanted.orgId} and minute >= ${PACKED_UNTIL} ${ofAssets(wanted)}
        and minute >= date_trunc('minute', ${iso(wanted.fromMs)}::timestamptz, 'UTC') and minute <= ${iso(wanted.toMs)}
      window w as (partition by asset_id order by minute)) s
    where before is null or after is null
      or minute - before >= ${wanted.longMs - MINUTE_MS} * interval '1 millisecond'
      or after - minute >= ${wanted.longMs - MINUTE_MS} * interval '1 millisecond'
    order by asset_id, minute`.execute(db)
  return rows
}

/** When each asset was last seen before an instant. */
export async function readLastSeen(
  db: Db,
  { orgId, assetIds, fromMs }: Wanted,
): Promise<Map<number, number>> {
  const ids = assetIds ?? []
  const { rows } = await sql<{ asset_id: number; at: number }>`${customPlan}
    select a.id as asset_id, ${epochMs('coalesce(s.observed_at, d.last_at)')} as at
    from unnest(${ids}::bigint[]) as a (id)
    left join lateral (
      select s.observed_at from scan s
      where s.org_id = ${orgId} and s.asset_id = a.id and s.minute >= ${PACKED_UNTIL} and s.observed_at < ${iso(fromMs)}
        and s.minute <= ${iso(fromMs)}
      order by s.minute desc limit 1 offset 0) s on true
    left join lateral (
      select d.last_at from day_packed d
      where d.org_id = ${orgId} and d.asset_id = a.id and d.day < ${iso(fromMs)}::date and d.day < ${PACKED_UNTIL_DAY}
      order by d.day desc limit 1 offset 0) d on s.observed_at is null
    where s.observed_at is not null or d.last_at is not null`.execute(db)
  return new Map(rows.map(({ asset_id, at }) => [asset_id, at]))
}

import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { microsecondsIn } from '../history/page.queries.ts'
import { findLastSeen, unpackSeen, type PackedDay } from '../../positions/packed/day-codec.ts'
import { DAY_MS, type Day } from '../../positions/packed/day-rows.ts'
import { DAY_NUMBER } from '../../positions/packed/packed-days.queries.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'

const MINUTE_US = 60_000_000
/** After every row. The year 9999 is not a safe integer in microseconds. */
const NEVER = Date.UTC(2200) * 1_000

/** Minutes of an asset, both excluded, in microseconds since 1970. Without the second: all later ones. */
export type Between = { assetId: number; after: number; before: number | undefined }
export type Instant = { minute: number; at: number }

const instant = (column: string) => sql.raw(`(timestamptz 'epoch' + ${column} * interval '1 microsecond')`)
const dayIn = (column: string) => sql`(${instant(column)} at time zone 'UTC')::date`

const wanted = (keys: readonly Between[]) => sql`
  unnest(${bigints(keys.map(({ assetId }) => assetId))}, ${bigints(keys.map(({ after }) => after))},
    ${bigints(keys.map(({ before = NEVER }) => before))}) with ordinality as w (asset_id, after, before, i)`

/**
 * The first row without a place between these minutes, of each key. The days before the one that it is in are packed with a last
 * place, so one day of each is unpacked.
 */
export async function firstNowhere(
  db: Db,
  orgId: number,
  keys: readonly Between[],
): Promise<(Instant | undefined)[]> {
  if (keys.length === 0) return []
  type Row = { i: number; minute: number | null; at: number | null; day: Day | null } & PackedDay
  const { rows } = await sql<Row>`${customPlan}
    select w.i::int - 1 as i, ${microsecondsIn('s.minute')} as minute, ${microsecondsIn('s.observed_at')} as at,
           d.day, d.seen, d.detail, d.extra
    from ${wanted(keys)}
    left join lateral (
      select ${DAY_NUMBER} as day, d.seen, d.detail, d.extra from day_packed d
      where d.org_id = ${orgId} and d.asset_id = w.asset_id and d.day between ${dayIn('w.after')} and ${dayIn('w.before')}
        and d.day < ${PACKED_UNTIL_DAY} and (d.last_location_id is null or d.day = ${dayIn('w.before')})
      order by d.day limit 1 offset 0) d on true
    left join lateral (
      select s.minute, s.observed_at from scan s
      where s.org_id = ${orgId} and s.asset_id = w.asset_id and s.minute >= ${PACKED_UNTIL}
        and s.minute > ${instant('w.after')} and s.minute < ${instant('w.before')} and s.location_id is null
      order by s.minute limit 1 offset 0) s on true
    order by w.i`.execute(db)
  return keys.map(({ after, before = NEVER }, i) => {
    const row = rows[i]
    const packed = row && row.day !== null ? unpackSeen(row.day, row) : []
    for (const { minute: ofDay, at, location_id } of packed) {
      const minute = (row?.day ?? 0) * DAY_MS * 1_000 + ofDay * MINUTE_US
      if (location_id === null && minute > after && minute < before) return { minute, at }
    }
    return row && row.minute !== null && row.at !== null ? { minute: row.minute, at: row.at } : undefined
  })
}

/** The instant of the last row of each asset that is before a minute. */
export async function lastSeenBefore(
  db: Db,
  orgId: number,
  keys: readonly (Between & { before: number })[],
): Promise<(number | undefined)[]> {
  if (keys.length === 0) return []
  type Row = {
    i: number
    at: number | null
    day: Day | null
    last_at: number | null
    is_cut: boolean
  } & PackedDay
  const { rows } = await sql<Row>`${customPlan}
    select w.i::int - 1 as i, ${microsecondsIn('s.observed_at')} as at, d.day, ${microsecondsIn('d.last_at')} as last_at, d.is_cut,
           case when d.is_cut then d.seen end as seen, case when d.is_cut then d.detail end as detail,
           case when d.is_cut then d.extra end as extra
    from ${wanted(keys)}
    left join lateral (
      select s.observed_at from scan s
      where s.org_id = ${orgId} and s.asset_id = w.asset_id and s.minute >= ${PACKED_UNTIL}
        and s.minute >= ${instant('w.after')} and s.minute < ${instant('w.before')}
      order by s.minute desc limit 1 offset 0) s on true
    left join lateral (
      select ${DAY_NUMBER} as day, d.last_at, d.seen, d.detail, d.extra, d.last_at >= ${instant('w.before')} as is_cut
      from day_packed d
      where d.org_id = ${orgId} and d.asset_id = w.asset_id and d.day between ${dayIn('w.after')} and ${dayIn('w.before')}
        and d.day < ${PACKED_UNTIL_DAY}
      order by d.day desc limit 2 offset 0) d on s.observed_at is null
    order by w.i, d.day desc`.execute(db)
  const found: (number | undefined)[] = keys.map(() => undefined)
  for (const { i, at, day, last_at, is_cut, ...packed } of rows) {
    const before = keys[i]?.before ?? 0
    found[i] ??=
      at ?? (is_cut && day !== null ? findLastSeen(day, packed, before - 1)?.at : (last_at ?? undefined))
  }
  return found
}

/** Where these assets were last seen. */
export async function findPositions(
  db: Db,
  orgId: number,
  assetIds: readonly number[],
): Promise<Map<number, { at: number; locationId: number | null }>> {
  if (assetIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; at: number; location_id: number | null }>`${customPlan}
    select a.id, ${microsecondsIn('p.observed_at')} as at, p.location_id
    from unnest(${bigints(assetIds)}) as a (id) cross join lateral (
      select p.observed_at, p.location_id from position p where p.org_id = ${orgId} and p.asset_id = a.id and p.minute > '-infinity' offset 0) p`.execute(
    db,
  )
  return new Map(rows.map(({ id, at, location_id }) => [id, { at, locationId: location_id }]))
}

import { bigints, instants, texts } from '@whereabouts/db/tenant/array-parameters'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql, type RawBuilder } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../db.ts'
import { packDay, unpackDay } from './day-codec.ts'
import type { Day, DayRow } from './day-rows.ts'

export type AssetDay = { org_id: number; asset_id: number; day: Day }
type Stored = DayRow & AssetDay

const microseconds = (column: string) => sql.raw(`round(date_part('epoch', ${column}) * 1000000)::bigint`)

/** Rows of `scan` as they are packed, in the order of their keys. */
export async function readRows(
  db: Db,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<readonly Stored[]> {
  const { rows } = await sql<Stored>`
    select s.org_id, s.asset_id, (date_part('epoch', s.minute)::bigint / 86400)::int as day,
           ((date_part('epoch', s.minute)::bigint / 60) % 1440)::int as minute, ${microseconds('s.observed_at')} as at,
           s.location_id, s.reader_key, s.antenna, s.tag_id, s.location_key, s.scan_point_id, s.empty_scan_point_id,
           s.outvoted, ${microseconds('s.carried_from')} as carried_from
    from scan s where ${where}
    order by s.org_id, s.asset_id, s.minute limit ${limit}`.execute(db)
  return rows
}

/** Rows of one asset and day after the other. */
export function groupByDay(rows: readonly Stored[]): (AssetDay & { rows: DayRow[] })[] {
  const groups: (AssetDay & { rows: DayRow[] })[] = []
  for (const { org_id, asset_id, day, ...row } of rows) {
    const last = groups.at(-1)
    if (last?.org_id === org_id && last.asset_id === asset_id && last.day === day) last.rows.push(row)
    else groups.push({ org_id, asset_id, day, rows: [row] })
  }
  return groups
}

/**
 * Stores asset-days over those that are there. Each is unpacked again and compared before, because its rows will be
 * dropped. Expects rows in the order of their minutes.
 */
export async function storeDays(
  db: Db,
  days: readonly (AssetDay & { rows: readonly DayRow[] })[],
): Promise<void> {
  if (days.length === 0) return
  const packed = await mapInSlices(days, ({ day, rows }) => packAndCompare(day, rows))
  const ends = days.map(({ rows }) => [rows[0], rows.at(-1)] as const)
  const toMs = (row: DayRow | undefined) => Math.floor((row?.at ?? 0) / 1_000)
  await sql`
    insert into day_packed (org_id, asset_id, day, n, first_location_id, last_location_id, first_at, last_at, seen, detail, extra)
    select u.org_id, u.asset_id, date '1970-01-01' + u.day::int, u.n::smallint, u.first_location_id, u.last_location_id,
           u.first_at, u.last_at, decode(u.seen, 'base64'), decode(u.detail, 'base64'), decode(u.extra, 'base64')
    from unnest(
      ${bigints(days.map((one) => one.org_id))}, ${bigints(days.map((one) => one.asset_id))},
      ${bigints(days.map((one) => one.day))}, ${bigints(days.map((one) => one.rows.length))},
      ${bigints(ends.map(([first]) => first?.location_id ?? null))},
      ${bigints(ends.map(([, last]) => last?.location_id ?? null))},
      ${instants(ends.map(([first]) => toMs(first)))}, ${instants(ends.map(([, last]) => toMs(last)))},
      ${texts(packed.map(({ seen }) => seen.toString('base64')))},
      ${texts(packed.map(({ detail }) => detail.toString('base64')))},
      ${texts(packed.map(({ extra }) => extra?.toString('base64') ?? null))}
    ) as u (org_id, asset_id, day, n, first_location_id, last_location_id, first_at, last_at, seen, detail, extra)
    on conflict (org_id, asset_id, day) do update set
      n = excluded.n, first_location_id = excluded.first_location_id, last_location_id = excluded.last_location_id,
      first_at = excluded.first_at, last_at = excluded.last_at,
      seen = excluded.seen, detail = excluded.detail, extra = excluded.extra`.execute(db)
}

function packAndCompare(day: Day, rows: readonly DayRow[]) {
  const packed = packDay(day, rows)
  const unpacked = unpackDay(day, packed)
  if (unpacked.length !== rows.length || rows.some((row, i) => !isSame(row, unpacked[i])))
    throw new Error(`packed history of day ${day} differs from its rows, so its rows were kept`)
  return packed
}

const isSame = (a: DayRow, b: DayRow | undefined) =>
  b !== undefined &&
  a.minute === b.minute &&
  a.at === b.at &&
  a.location_id === b.location_id &&
  a.tag_id === b.tag_id &&
  a.reader_key === b.reader_key &&
  a.antenna === b.antenna &&
  a.location_key === b.location_key &&
  a.scan_point_id === b.scan_point_id &&
  a.empty_scan_point_id === b.empty_scan_point_id &&
  a.carried_from === b.carried_from &&
  isDeepStrictEqual(a.outvoted, b.outvoted)

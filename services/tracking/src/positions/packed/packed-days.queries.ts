import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { unpackDay, unpackSeen, type PackedDay } from './day-codec.ts'
import type { Day, DayRow, Seen } from './day-rows.ts'
import { PACKED_UNTIL_DAY } from './packing-state.queries.ts'

export const DAY_NUMBER = sql.raw(`(d.day - date '1970-01-01')`)
export const PACKED = sql.raw('d.seen, d.detail, d.extra')
const dateOfDay = (day: Day | RawBuilder<unknown>) => sql`(date '1970-01-01' + ${day}::int)`

export type StoredDay = PackedDay & { day: Day }

/** Which rows of a day are wanted: with what caused them, or without. */
export type Unpack<R> = (day: Day, packed: PackedDay) => R[]
export const withCauses: Unpack<DayRow> = unpackDay
export const withoutCauses: Unpack<Seen> = unpackSeen

/** Bounds in microseconds since 1970, both included; undefined means no bound. */
export type Range = { from: number | undefined; to: number | undefined }

const DAY_US = 86_400_000_000
const dayAt = (us: number): Day => Math.floor(us / DAY_US)

/** The packed rows of an asset within a range: how many there are, and any part of them. */
export type PackedRows<R> = {
  total: number
  /** A part of the rows, newest first or oldest first. */
  slice(skip: number, take: number, descending: boolean): Promise<R[]>
}

type Counted = { day: Day; n: number }

/**
 * Finds the packed days of an asset that have rows within a range. Days that the range cuts are unpacked, and the others are
 * counted by a column. `packedUntil` is what to give to the reader of the other rows, so that both fit together if more is packed
 * meanwhile.
 */
export async function findPackedRows<R extends Seen>(
  db: Db,
  orgId: number,
  assetId: number,
  range: Range,
  unpack: Unpack<R>,
): Promise<PackedRows<R> & { packedUntil: string }> {
  const [first, last] = [range.from, range.to].map((us) => (us === undefined ? undefined : dayAt(us)))
  const { rows } = await sql<{ packed_until: string; days: Day[] | null; counts: number[] | null }>`
    select p.packed_until::text as packed_until, of_asset.days, of_asset.counts
    from history_packing p cross join lateral (
      select json_agg(${DAY_NUMBER} order by d.day) as days, json_agg(d.n order by d.day) as counts
      from day_packed d
      where d.org_id = ${orgId} and d.asset_id = ${assetId} and d.day < ${PACKED_UNTIL_DAY}
        ${first === undefined ? sql`` : sql`and d.day >= ${dateOfDay(first)}`}
        ${last === undefined ? sql`` : sql`and d.day <= ${dateOfDay(last)}`}) of_asset`.execute(db)
  const [
    { packed_until: packedUntil, days, counts } = { packed_until: '-infinity', days: null, counts: null },
  ] = rows
  const all = (days ?? []).map((day, i): Counted => ({ day, n: counts?.[i] ?? 0 }))
  const unpacked = new Map<Day, R[]>()
  const { from = -Infinity, to = Infinity } = range
  const load = async (wanted: readonly Day[]) => {
    const missing = wanted.filter((day) => !unpacked.has(day))
    for (const stored of await readDays(db, orgId, assetId, missing))
      unpacked.set(
        stored.day,
        unpack(stored.day, stored).filter(({ at }) => at >= from && at <= to),
      )
  }
  const cut = all.filter(({ day }) => day * DAY_US < from || (day + 1) * DAY_US > to)
  await load(cut.map(({ day }) => day))
  for (const one of cut) one.n = unpacked.get(one.day)?.length ?? 0
  return {
    packedUntil,
    total: all.reduce((sum, { n }) => sum + n, 0),
    async slice(skip, take, descending) {
      const { wanted, before } = daysOfSlice(descending ? all.toReversed() : all, skip, take)
      await load(wanted)
      const found = wanted.flatMap((day) => {
        const ofDay = unpacked.get(day) ?? []
        return descending ? ofDay.toReversed() : ofDay
      })
      return found.slice(skip - before, skip - before + take)
    },
  }
}

/** `before`: rows of the days before the wanted ones. */
function daysOfSlice(days: readonly Counted[], skip: number, take: number) {
  const wanted: Day[] = []
  let [end, before] = [0, 0]
  for (const { day, n } of days) {
    if (end + n <= skip) before = end + n
    else if (end < skip + take) wanted.push(day)
    end += n
  }
  return { wanted, before }
}

async function readDays(
  db: Db,
  orgId: number,
  assetId: number,
  days: readonly Day[],
): Promise<readonly StoredDay[]> {
  if (days.length === 0) return []
  const { rows } = await sql<StoredDay>`
    select ${DAY_NUMBER} as day, ${PACKED} from unnest(${days}::int[]) as wanted (day)
    join day_packed d on d.day = ${dateOfDay(sql`wanted.day`)}
    where d.org_id = ${orgId} and d.asset_id = ${assetId}`.execute(db)
  return rows
}

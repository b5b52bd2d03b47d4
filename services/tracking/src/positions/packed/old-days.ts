import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { Outvoted } from '../evidence.ts'
import { minuteOf, type Minute, type Observation } from '../observation.ts'
import type { AssetKey } from '../position.ts'
import { epochMs } from '../../sql-times.ts'
import { unpackDay, type PackedDay } from './day-codec.ts'
import { DAY_MS, MINUTES_OF_DAY, type Day, type DayRow } from './day-rows.ts'
import { storeDays } from './pack-rows.queries.ts'

/** Rows older than this may be packed now. It is a day less than rows stay rows, so that no transaction or clock makes a difference. */
const MAY_BE_PACKED_MS = 2 * DAY_MS

/** A row without its cause. */
export type OldRow = { minute: Minute; observedAtMs: number; locationId: number | null }

type OldDay = AssetKey & {
  day: Day
  /** By minute of the day. */
  rows: Map<number, DayRow>
  /** The packed row before the day, and the row after it, packed or not, as they are stored. */
  before: OldRow | undefined
  after: OldRow | undefined
}

/**
 * The packed days that one transaction reads and changes, under the lock of the positions: what it writes is stored at once. For rows of
 * the last two days it asks the database nothing. Days that are not packed, but may be at any time, are noted as touched.
 */
export class OldDays {
  readonly #tx: Tx
  readonly #nowMs: number
  readonly #days = new Map<string, OldDay>()
  /** Milliseconds; rows before it are packed. */
  #packedUntilMs: number | undefined

  constructor(tx: Tx, now: () => number = Date.now) {
    this.#tx = tx
    this.#nowMs = now()
  }

  /**
   * Splits into what is packed and what is a row of `scan`. The days of the rows will be packed again, if `changes` says so.
   */
  async split<T extends AssetKey & { minute: Minute }>(
    all: readonly T[],
    changes = false,
  ): Promise<{ packed: T[]; rows: T[] }> {
    const old = all.filter(({ minute }) => minute * 60_000 < this.#nowMs - MAY_BE_PACKED_MS)
    if (old.length === 0) return { packed: [], rows: [...all] }
    const until = await this.#packedUntil()
    const packed = all.filter(({ minute }) => minute * 60_000 < until)
    const touched = old.filter(({ minute }) => minute * 60_000 >= until)
    if (changes && touched.length > 0) await this.#touch(touched)
    await this.#load(packed)
    return {
      packed,
      rows: packed.length === 0 ? [...all] : all.filter(({ minute }) => minute * 60_000 >= until),
    }
  }

  /** The rules of `insertScans`. */
  async insert(observations: readonly Observation[]): Promise<Observation[]> {
    const stored = observations.filter((observation) => {
      const there = this.#row(observation)
      return !there || (there.location_id === null && observation.locationId !== null)
    })
    await this.write(stored)
    return stored
  }

  /** Over existing rows. Their days are loaded. */
  async write(observations: readonly Observation[]): Promise<void> {
    for (const observation of observations)
      this.#dayOf(observation)?.rows.set(observation.minute % MINUTES_OF_DAY, toDayRow(observation))
    await this.#store(observations)
  }

  async close(
    closed: readonly (AssetKey & { minute: Minute; outvoted: readonly Outvoted[] })[],
  ): Promise<void> {
    const there = closed.filter((one) => {
      const row = this.#row(one)
      if (row) row.outvoted = [...one.outvoted]
      return row !== undefined
    })
    await this.#store(there)
  }

  rowAt(key: AssetKey & { minute: Minute }): DayRow | undefined {
    return this.#row(key)
  }

  /** The row of this minute, or else the nearest one before it. Its day, or the one after it, is loaded. */
  rowUpTo(key: AssetKey & { minute: Minute }): OldRow | undefined {
    return this.#newest(this.#ofAsset(key), (row) => row.minute <= key.minute, 1)
  }

  /** The nearest row after this minute. Its day is loaded. */
  rowAfter(key: AssetKey & { minute: Minute }): OldRow | undefined {
    return this.#newest(this.#ofAsset(key), (row) => row.minute > key.minute, -1)
  }

  /** The last one of the rows and neighbors that fit, or the first one. A neighbor may be older than the row that is loaded. */
  #newest(days: readonly OldDay[], fits: (row: OldRow) => boolean, sign: 1 | -1): OldRow | undefined {
    let best: OldRow | undefined
    const consider = (row: OldRow | undefined, isStored = false) => {
      if (!row || !fits(row)) return
      const difference = best ? (row.minute - best.minute) * sign : 1
      if (difference > 0 || (difference === 0 && !isStored)) best = row
    }
    for (const { day, rows, before, after } of days) {
      consider(before, true)
      consider(after, true)
      const [first, last] = [day * MINUTES_OF_DAY, (day + 1) * MINUTES_OF_DAY - 1]
      const [nearest, farthest] = sign === 1 ? [last, first] : [first, last]
      const isBeyond = !fits({ minute: farthest, observedAtMs: 0, locationId: null })
      if (isBeyond || (best && (nearest - best.minute) * sign < 0)) continue
      for (const row of rows.values())
        consider({
          minute: first + row.minute,
          observedAtMs: Math.floor(row.at / 1_000),
          locationId: row.location_id,
        })
    }
    return best
  }

  #ofAsset({ orgId, assetId }: AssetKey): OldDay[] {
    return [...this.#days.values()].filter((one) => one.orgId === orgId && one.assetId === assetId)
  }

  #dayOf({ orgId, assetId, minute }: AssetKey & { minute: Minute }): OldDay | undefined {
    return this.#days.get(nameOf({ orgId, assetId, day: dayOfMinute(minute) }))
  }

  #row(key: AssetKey & { minute: Minute }): DayRow | undefined {
    return this.#dayOf(key)?.rows.get(key.minute % MINUTES_OF_DAY)
  }

  async #packedUntil(): Promise<number> {
    if (this.#packedUntilMs !== undefined) return this.#packedUntilMs
    // The packer waits for this lock before it declares days packed.
    const { rows } = await sql<{ ms: number | null }>`
      select case when isfinite(packed_until) then ${epochMs('packed_until')} end as ms
      from history_packing for key share`.execute(this.#tx)
    return (this.#packedUntilMs = rows[0]?.ms ?? -Infinity)
  }

  async #touch(rows: readonly (AssetKey & { minute: Minute })[]): Promise<void> {
    const days = uniqueDays(rows)
    // An update locks the row, so that the packer does not take the note away before this transaction ends.
    await sql`
      insert into history_touched (org_id, asset_id, day)
      select org_id, asset_id, date '1970-01-01' + day::int from unnest(
        ${bigints(days.map((one) => one.orgId))}, ${bigints(days.map((one) => one.assetId))}, ${bigints(days.map((one) => one.day))}
      ) as u (org_id, asset_id, day) order by day, org_id, asset_id
      on conflict (day, org_id, asset_id) do update set day = excluded.day`.execute(this.#tx)
  }

  async #load(rows: readonly (AssetKey & { minute: Minute })[]): Promise<void> {
    const days = uniqueDays(rows).filter((one) => !this.#days.has(nameOf(one)))
    if (days.length === 0) return
    const until = await this.#packedUntil()
    const { rows: found } = await sql<Loaded>`
      select w.org_id as "orgId", w.asset_id as "assetId", w.day, d.seen, d.detail, d.extra,
             ${epochMs('p.last_at')} as before_ms, p.last_location_id as before_place,
             ${epochMs('n.at')} as after_ms, n.place as after_place
      from unnest(
        ${bigints(days.map((one) => one.orgId))}, ${bigints(days.map((one) => one.assetId))}, ${bigints(days.map((one) => one.day))}
      ) as w (org_id, asset_id, day)
      left join day_packed d
        on d.org_id = w.org_id and d.asset_id = w.asset_id and d.day = date '1970-01-01' + w.day::int
      left join lateral (
        select b.last_at, b.last_location_id from day_packed b
        where b.org_id = w.org_id and b.asset_id = w.asset_id and b.day < date '1970-01-01' + w.day::int
        order by b.day desc limit 1) p on true
      left join lateral (
        select at, place from (
          (select a.first_at as at, a.first_location_id as place from day_packed a
           where a.org_id = w.org_id and a.asset_id = w.asset_id and a.day > date '1970-01-01' + w.day::int
             and a.day < ((timestamptz 'epoch' + ${until}::bigint * interval '1 millisecond') at time zone 'UTC')::date
           order by a.day limit 1)
          union all
          (select s.observed_at, s.location_id from scan s
           where s.org_id = w.org_id and s.asset_id = w.asset_id
             and s.minute >= timestamptz 'epoch' + ${until}::bigint * interval '1 millisecond'
           order by s.minute limit 1)) later order by at limit 1) n on true`.execute(this.#tx)
    for (const row of found) this.#days.set(nameOf(row), toOldDay(row))
  }

  async #store(changed: readonly (AssetKey & { minute: Minute })[]): Promise<void> {
    const days = uniqueDays(changed).flatMap((one) => this.#days.get(nameOf(one)) ?? [])
    await storeDays(
      this.#tx,
      days.map(({ orgId, assetId, day, rows }) => ({
        org_id: orgId,
        asset_id: assetId,
        day,
        rows: [...rows.values()].toSorted((a, b) => a.minute - b.minute),
      })),
    )
  }
}

type Loaded = AssetKey & {
  day: Day
  seen: Buffer | null
  detail: Buffer | null
  extra: Buffer | null
  before_ms: number | null
  before_place: number | null
  after_ms: number | null
  after_place: number | null
}

function toOldDay(row: Loaded): OldDay {
  const { orgId, assetId, day, seen, detail, extra } = row
  const packed: PackedDay | undefined = seen && detail ? { seen, detail, extra } : undefined
  const rows = packed ? unpackDay(day, packed) : []
  const neighbor = (ms: number | null, locationId: number | null) =>
    ms === null ? undefined : { minute: minuteOf(ms), observedAtMs: ms, locationId }
  return {
    orgId,
    assetId,
    day,
    rows: new Map(rows.map((one) => [one.minute, one])),
    before: neighbor(row.before_ms, row.before_place),
    after: neighbor(row.after_ms, row.after_place),
  }
}

const dayOfMinute = (minute: Minute): Day => Math.floor(minute / MINUTES_OF_DAY)
const nameOf = ({ orgId, assetId, day }: AssetKey & { day: Day }) => `${orgId} ${assetId} ${day}`

function uniqueDays(rows: readonly (AssetKey & { minute: Minute })[]): (AssetKey & { day: Day })[] {
  const days = rows.map(({ orgId, assetId, minute }) => ({ orgId, assetId, day: dayOfMinute(minute) }))
  return [...new Map(days.map((one) => [nameOf(one), one])).values()]
}

/** As `rowsOf` of `scans.queries.ts` makes rows of `scan`. */
const toDayRow = (o: Observation): DayRow => ({
  minute: o.minute % MINUTES_OF_DAY,
  at: o.observedAtMs * 1_000,
  location_id: o.locationId,
  reader_key: o.readerKey,
  antenna: o.antenna,
  tag_id: o.tagId,
  location_key: o.locationKey,
  scan_point_id: o.locationId === null ? null : o.scanPointId,
  empty_scan_point_id: o.locationId === null ? o.scanPointId : null,
  outvoted: o.outvoted ?? null,
  carried_from: o.carriedFromMs === undefined ? null : o.carriedFromMs * 1_000,
})

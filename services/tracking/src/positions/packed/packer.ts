import { sql, type Kysely } from 'kysely'
import type { Tables, Tx } from '../../db.ts'
import { dateOf, listPartitions, type Date10, type Partition } from '../partitions/partitions.queries.ts'
import { DAY_MS } from './day-rows.ts'
import { groupByDay, readRows, storeDays } from './pack-rows.queries.ts'

/** Rows stay rows for as long, so that a replay after a restore, of 72 h, finds rows. */
const ROWS_MS = 3 * DAY_MS
/** Rows of a transaction: about a tenth of a second. */
const BATCH_ROWS = 10_000
/** Days that were touched while they were packed, and are packed again under the lock. */
const TOUCHED_AT_ONCE = 20

export type PackStep = {
  /** `done`: nothing is old enough. `busy`: another replica packs. */
  outcome: 'packed' | 'finished' | 'done' | 'busy'
  rows: number
  /** The first day that is not packed, after it finished. */
  until?: Date10
}

type State = {
  packed_until: string | null
  after_org: number | null
  after_asset: number | null
  is_on: boolean
}

/**
 * Packs a part of the oldest rows that are not packed, in one transaction. Call until it is done. Rows are packed by
 * partition. A part of it that was packed is not seen before all is, and then replaces the rows at once. Any step may be interrupted, and
 * any replica continues. It locks nothing that ingest waits for, except for late reads of these days while it finishes.
 */
export async function packStep(
  db: Kysely<Tables>,
  {
    now = Date.now,
    batchRows = BATCH_ROWS,
  }: { now?: (() => number) | undefined; batchRows?: number | undefined } = {},
): Promise<PackStep> {
  const partitions = await scanPartitions(db)
  const unit = await db.transaction().execute(async (tx) => {
    const { rows } = await sql<State>`${readState(now)} for no key update skip locked`.execute(tx)
    const [state] = rows
    if (!state) return { outcome: 'busy' as const, rows: 0 }
    const next = state.is_on ? nextRange(partitions, state.packed_until, dateOf(now() - ROWS_MS)) : undefined
    if (!next) return { outcome: 'done' as const, rows: 0 }
    const packed = await packBatch(tx, next, state, batchRows)
    return packed > 0 ? { outcome: 'packed' as const, rows: packed } : next
  })
  if ('outcome' in unit) return unit
  await finish(db, unit)
  return { outcome: 'finished', rows: 0, until: unit.until }
}

type Range = { first: Date10; until: Date10 }

/** The days from the first one that is not packed to the end of its partition, as far as they are old enough. */
function nextRange(
  partitions: readonly Partition[],
  packedUntil: Date10 | null,
  oldEnough: Date10,
): Range | undefined {
  const next = partitions.find(({ until }) => packedUntil === null || until > packedUntil)
  if (!next) return undefined
  const first = packedUntil !== null && packedUntil > next.first ? packedUntil : next.first
  const until = next.until < oldEnough ? next.until : oldEnough
  return first < until ? { first, until } : undefined
}

/** Days of rows that are old enough to be packed and are not; 0 before packing starts. */
export async function countDaysWaiting(db: Kysely<Tables>, now: () => number = Date.now): Promise<number> {
  const { rows } = await sql<State>`${readState(now)}`.execute(db)
  const [state] = rows
  if (!state?.is_on) return 0
  const oldEnough = dateOf(now() - ROWS_MS)
  const waiting = (await scanPartitions(db)).map(({ first, until }) => {
    const from = state.packed_until !== null && state.packed_until > first ? state.packed_until : first
    return Math.max(0, Date.parse(until < oldEnough ? until : oldEnough) - Date.parse(from)) / DAY_MS
  })
  return waiting.reduce((sum, days) => sum + days, 0)
}

const scanPartitions = async (db: Kysely<Tables>) =>
  (await listPartitions(db)).filter(({ of, state }) => of === 'scan' && state === 'attached')

const readState = (now: () => number) => sql`
  select case when isfinite(packed_until) then (packed_until at time zone 'UTC')::date::text end as packed_until,
         after_org, after_asset, starts_at <= to_timestamp(${now()}::double precision / 1000) as is_on
  from history_packing`

const inRange = ({ first, until }: Range) =>
  sql`s.minute >= ${first}::timestamp at time zone 'UTC' and s.minute < ${until}::timestamp at time zone 'UTC'`

/** The number of rows; 0 if all are packed. */
async function packBatch(
  tx: Tx,
  range: Range,
  { after_org, after_asset }: State,
  batchRows: number,
): Promise<number> {
  // In the order of the index, also if the partition has no statistics: else each step would sort all that is left.
  await sql`select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
    tx,
  )
  const after = after_org === null ? sql`` : sql`and (s.org_id, s.asset_id) > (${after_org}, ${after_asset})`
  const read = await readRows(tx, sql`${inRange(range)} ${after}`, batchRows)
  // The rows of the last asset may be incomplete, unless they are all.
  const last = read.at(-1)
  let rows = read
  if (last && read.length === batchRows) {
    rows = read.filter((row) => row.org_id !== last.org_id || row.asset_id !== last.asset_id)
    if (rows.length === 0)
      rows = await readRows(
        tx,
        sql`${inRange(range)} and s.org_id = ${last.org_id} and s.asset_id = ${last.asset_id}`,
        ALL,
      )
  }
  const end = rows.at(-1)
  if (!end) return 0
  await storeDays(tx, groupByDay(rows))
  await sql`update history_packing set after_org = ${end.org_id}, after_asset = ${end.asset_id}`.execute(tx)
  return rows.length
}

const ALL = 1_000_000

/** Packs days again that late reads changed meanwhile. Then all packed days of the range count, and its rows do not. */
async function finish(db: Kysely<Tables>, range: Range): Promise<void> {
  let touched = TOUCHED_AT_ONCE
  while (touched === TOUCHED_AT_ONCE)
    touched = await db.transaction().execute((tx) => packTouched(tx, range, TOUCHED_AT_ONCE))
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<State>`select after_org, after_asset from history_packing
      where packed_until <= ${range.first}::timestamp at time zone 'UTC' for update`.execute(tx)
    if (rows.length === 0) return
    await packTouched(tx, range, ALL)
    await sql`update history_packing set packed_until = ${range.until}::timestamp at time zone 'UTC', after_org = null,
      after_asset = null`.execute(tx)
  })
}

async function packTouched(tx: Tx, { until }: Range, limit: number): Promise<number> {
  const { rows: days } = await sql<{ org_id: number; asset_id: number; day: Date10 }>`
    delete from history_touched where (day, org_id, asset_id) in (
      select day, org_id, asset_id from history_touched where day < ${until}::date order by 1, 2, 3 limit ${limit})
    returning org_id, asset_id, day::text as day`.execute(tx)
  for (const { org_id, asset_id, day } of days) {
    const rows = await readRows(
      tx,
      sql`s.org_id = ${org_id} and s.asset_id = ${asset_id}
      and s.minute >= ${day}::timestamp at time zone 'UTC' and s.minute < (${day}::timestamp + interval '1 day') at time zone 'UTC'`,
      ALL,
    )
    await storeDays(tx, groupByDay(rows))
  }
  return days.length
}

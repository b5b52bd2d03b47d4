import { anyOf } from '@whereabouts/db/sql-conditions'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import {
  findPackedRows,
  withCauses,
  withoutCauses,
  type Unpack,
} from '../../positions/packed/packed-days.queries.ts'
import { microsecondsOf, type DayRow, type Seen } from '../../positions/packed/day-rows.ts'
import { findMinutes, type Minutes } from './minutes.queries.ts'

export type HistoryPage = { limit: number; offset: number; descending: boolean }

/** Instants of `parseInstant`, both included; undefined means no bound. */
export type HistoryRange = { from?: string | undefined; to?: string | undefined }

/** A row of the history. `at` is in microseconds since 1970, because durations count from the exact instants. */
export type Entry = { at: number; location_id: number | null }

export type ReadPage<R extends Entry = Entry> = {
  /** In the order of the page. */
  entries: R[]
  /** The row before the oldest one of the page in the whole history, also outside the range (D8.1). */
  before: Entry | undefined
  total: number
}

/** Leaves out the days to come: a row is at most a minute ahead of the clock (D8.6). */
export const MINUTES_SO_FAR: RawBuilder<unknown> = sql.raw(`s.minute <= now() + interval '1 day'`)

/** The exact instant of a row. A double holds it, and `extract` would compute with decimal digits. */
export const microsecondsIn = (column: string): RawBuilder<unknown> =>
  sql.raw(`round(date_part('epoch', ${column}) * 1000000)::bigint`)

/** What a page has of each row: columns of `scan`, and the same of packed rows. */
export type Columns<R> = { ofScan: RawBuilder<unknown>; named: RawBuilder<unknown>; unpack: Unpack<R & Seen> }

const SEEN = sql`${microsecondsIn('s.observed_at')} as at, s.location_id,
  ((date_part('epoch', s.minute)::bigint / 60) % 1440)::int as minute`
const SEEN_NAMED = sql`page.at, page.location_id, page.minute`
const CAUSES = ['reader_key', 'antenna', 'tag_id', 'location_key', 'scan_point_id', 'empty_scan_point_id', 'outvoted'] // oxfmt-ignore
const causesOf = (row: string) => sql.join(CAUSES.map((column) => sql.ref(`${row}.${column}`)))

export const seen: Columns<Seen> = { ofScan: SEEN, named: SEEN_NAMED, unpack: withoutCauses }
export const seenWithCauses: Columns<DayRow> = {
  ofScan: sql`${SEEN}, ${causesOf('s')}, ${microsecondsIn('s.carried_from')} as carried_from`,
  named: sql`${SEEN_NAMED}, ${causesOf('page')}, page.carried_from`,
  unpack: withCauses,
}

type Asset = { db: Db; orgId: number; assetId: number }

/**
 * One page of an asset's history. Packed rows are older than all others, so a page is a part of each, one after the other. It reads
 * one older row than the page, the one before it.
 */
export async function readPage<R extends Seen>(
  asset: Asset,
  range: HistoryRange,
  { limit, offset, descending }: HistoryPage,
  columns: Columns<R>,
): Promise<ReadPage<R>> {
  const { db, orgId, assetId } = asset
  const packed = await findPackedRows(
    db,
    orgId,
    assetId,
    {
      from: range.from === undefined ? undefined : microsecondsOf(range.from),
      to: range.to === undefined ? undefined : microsecondsOf(range.to),
    },
    columns.unpack,
  )
  const skip = descending || offset === 0 ? offset : offset - 1
  const take = descending || offset > 0 ? limit + 1 : limit
  const minutes = await findMinutes(db, orgId, assetId, range)
  const later = async (skipped: number, taken: number) =>
    readLater<R>(asset, minutes, packed.packedUntil, { limit: taken, offset: skipped, descending }, columns)
  let [read, total]: [R[], number] = [[], 0]
  if (descending) {
    const newest = await later(skip, take)
    total = newest.total + packed.total
    read = newest.rows
    if (read.length < take)
      read = read.concat(await packed.slice(Math.max(0, skip - newest.total), take - read.length, true))
  } else {
    read = await packed.slice(skip, take, false)
    const newest = await later(Math.max(0, skip - packed.total), take - read.length)
    total = newest.total + packed.total
    read = read.concat(newest.rows)
  }
  const isSkipped = !descending && offset > 0
  const entries = isSkipped ? read.slice(1) : read.slice(0, limit)
  const known = isSkipped ? read[0] : descending ? read[limit] : undefined
  const oldest = entries.at(descending ? -1 : 0)
  const isFirst = known !== undefined || oldest === undefined || range.from === undefined
  const before = isFirst ? known : await findBefore(asset, oldest.at, packed.packedUntil)
  return { entries, before, total }
}

type Row<R> = R & { total: number | null; is_there: boolean }

/**
 * Rows that are not packed. Counts only if the rows do not tell the total: there are more, or none. Skipped and counted rows are
 * read from the index alone.
 */
async function readLater<R extends Seen>(
  { db, orgId, assetId }: Asset,
  minutes: Minutes,
  packedUntil: string,
  { limit, offset, descending }: HistoryPage,
  { ofScan, named }: Columns<R>,
): Promise<{ rows: R[]; total: number }> {
  const inRange = sql`s.org_id = ${orgId} and s.asset_id = ${assetId} and ${MINUTES_SO_FAR}
    and s.minute >= ${packedUntil}::timestamptz
    ${minutes.first === undefined ? sql`` : sql`and s.minute >= ${minutes.first}::timestamptz`}
    ${minutes.last === undefined ? sql`` : sql`and s.minute <= ${minutes.last}::timestamptz`}`
  const order = sql.raw(descending ? 'desc' : 'asc')
  const nth = sql`(select s.minute from scan s where ${inRange} order by s.minute ${order} limit 1 offset ${offset})`
  const start = offset === 0 ? sql`` : sql`and s.minute ${sql.raw(descending ? '<=' : '>=')} ${nth}`
  const { rows } = await sql<Row<R>>`${fixedPlan}
    with page as materialized (
      select ${ofScan} from scan s where ${inRange} ${start} order by s.minute ${order} limit ${limit})
    select ${named}, page.at is not null as is_there,
           case when count.n in (0, ${limit}) then (select count(s.minute) from scan s where ${inRange}) end as total
    from (select count(*) as n from page) count left join page on true`.execute(db)
  const found = rows.filter(({ is_there }) => is_there)
  return { rows: found, total: rows[0]?.total ?? offset + found.length }
}

/** The row before an instant of another row, if there is one. */
async function findBefore(
  { db, orgId, assetId }: Asset,
  at: number,
  packedUntil: string,
): Promise<Entry | undefined> {
  const { rows } = await sql<Entry>`
    select ${microsecondsIn('s.observed_at')} as at, s.location_id from scan s
    where s.org_id = ${orgId} and s.asset_id = ${assetId} and s.minute >= ${packedUntil}::timestamptz
      and s.minute < timestamptz 'epoch' + ${Math.floor(at / 60_000_000)}::bigint * interval '1 minute'
    order by s.minute desc limit 1`.execute(db)
  if (rows.length > 0) return rows[0]
  const packed = await findPackedRows(db, orgId, assetId, { from: undefined, to: at - 1 }, withoutCauses)
  const [before] = await packed.slice(0, 1, true)
  return before
}

/** The keys of these locations as the projection has them; null for a deleted one (D8.3). */
export async function findLocationKeys(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  const rows = await db
    .selectFrom('location')
    .select(['id', 'external_key', 'deleted_at'])
    .where('org_id', '=', orgId)
    .where(anyOf('id', ids, 'bigint'))
    .execute()
  return new Map(rows.map((row) => [row.id, row.deleted_at === null ? row.external_key : null]))
}

import { anyOf } from '@whereabouts/db/sql-conditions'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import type { Minutes } from './history.queries.ts'

export type HistoryPage = { limit: number; offset: number; descending: boolean }

/** A row of the history. `at` is in microseconds since 1970, because durations count from the exact instants. */
export type Entry = { at: number; location_id: number | null }

export type ReadPage = {
  /** In the order of the page. */
  entries: Entry[]
  /** The row before the oldest one of the page in the whole history, also outside the range (D8.1). */
  before: Entry | undefined
  total: number
}

type Row = Omit<Entry, 'at'> & { at: number | null; is_before: boolean; total: number | null }

/** Leaves out the months to come: a row is at most a minute ahead of the clock (D8.6). */
export const MINUTES_SO_FAR: RawBuilder<unknown> = sql.raw(`s.minute <= now() + interval '1 day'`)

/** The exact instant of a row. A double holds it, and `extract` would compute with decimal digits. */
export const microsecondsOf = (row: string): RawBuilder<unknown> =>
  sql.raw(`round(date_part('epoch', ${row}.observed_at) * 1000000)::bigint`)

/**
 * One page of an asset's history. Reads one row more than the page, the one before it. Counts only if the rows do not
 * tell the total: the page is full, or past the end. Skipped and counted rows are read from the index alone.
 */
export async function readPage(
  db: Db,
  orgId: number,
  assetId: number,
  minutes: Minutes,
  page: HistoryPage,
): Promise<ReadPage> {
  const { limit, offset, descending } = page
  const ofAsset = sql`s.org_id = ${orgId} and s.asset_id = ${assetId}`
  const first = minutes.first === undefined ? undefined : sql`${minutes.first}::timestamptz`
  const upToLast = sql`${ofAsset} and ${MINUTES_SO_FAR}
    ${minutes.last === undefined ? sql`` : sql`and s.minute <= ${minutes.last}::timestamptz`}`
  const inRange = first ? sql`${upToLast} and s.minute >= ${first}` : upToLast
  const order = sql.raw(descending ? 'desc' : 'asc')
  const nth = (skipped: number) =>
    sql`(select s.minute from scan s where ${inRange} order by s.minute ${order} limit 1 offset ${skipped})`
  let start = sql``
  if (offset > 0)
    start = descending ? sql`and s.minute <= ${nth(offset)}` : sql`and s.minute >= ${nth(offset - 1)}`
  else if (first && !descending)
    start = sql`and s.minute >= coalesce((select s.minute from scan s
      where ${ofAsset} and s.minute < ${first} order by s.minute desc limit 1), ${first})`
  const { rows } = await sql<Row>`${fixedPlan}
    select ${microsecondsOf('page')} as at, page.location_id,
           ${first ? sql`page.minute < ${first}` : sql`false`} as is_before,
           case when page.minute is null or ${nth(offset + limit - 1)} is not null
             then (select count(s.minute) from scan s where ${inRange}) end as total
    from (select) as one left join (
      select s.minute, s.observed_at, s.location_id from scan s
      where ${upToLast} ${start}
      order by s.minute ${order} limit ${limit + 1}
    ) as page on true
    order by page.minute ${order}`.execute(db)
  return split(rows, page)
}

/** The page without the row before it, which is first if the page is ascending. */
function split(rows: readonly Row[], { limit, offset, descending }: HistoryPage): ReadPage {
  const read = rows.filter((row): row is Row & Entry => row.at !== null)
  const inRange = read.filter((row) => !row.is_before)
  const [skipped] = descending || offset === 0 ? [] : inRange.splice(0, 1)
  const entries = inRange.slice(0, limit)
  const before = descending ? read[entries.length] : (skipped ?? read.find((row) => row.is_before))
  return { entries, before, total: rows[0]?.total ?? offset + entries.length }
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

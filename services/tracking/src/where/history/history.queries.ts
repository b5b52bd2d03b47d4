import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'

/** A range of minutes as text, both included; undefined means no bound. */
export type Minutes = { first: string | undefined; last: string | undefined }

const MINUTE_MS = 60_000
const minuteOf = (instant: string) => `${instant.slice(0, 16)}:00.000000Z`
const shift = (minute: string, minutes: number) =>
  minuteOf(new Date(Date.parse(minute) + minutes * MINUTE_MS).toISOString())

/**
 * The minutes whose rows are between two instants of `parseInstant`, both included. For the minutes of the bounds, it
 * reads their rows. The index has minutes and no instants: with minutes, PostgreSQL counts and skips rows without
 * reading them, and reads no other months.
 */
export async function findMinutes(
  db: Db,
  orgId: number,
  assetId: number,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<Minutes> {
  const [first, last] = [from && minuteOf(from), to && minuteOf(to)]
  if (first === from && last === undefined) return { first, last }
  const { rows } = await sql<{ is_early: boolean; is_late: boolean }>`
    select observed_at < ${from ?? '-infinity'}::timestamptz as is_early,
           observed_at > ${to ?? 'infinity'}::timestamptz as is_late
    from scan where org_id = ${orgId} and asset_id = ${assetId}
      and minute in (${first ?? last}::timestamptz, ${last ?? first}::timestamptz)`.execute(db)
  return {
    first: first && rows.some((row) => row.is_early) ? shift(first, 1) : first,
    last: last && rows.some((row) => row.is_late) ? shift(last, -1) : last,
  }
}

const within = (orgId: number, assetId: number, { first, last }: Minutes): RawBuilder<unknown> =>
  sql`s.org_id = ${orgId} and s.asset_id = ${assetId}
    ${first === undefined ? sql`` : sql`and s.minute >= ${first}::timestamptz`}
    ${last === undefined ? sql`` : sql`and s.minute <= ${last}::timestamptz`}`

export async function countHistory(
  db: Db,
  orgId: number,
  assetId: number,
  minutes: Minutes,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from scan s where ${within(orgId, assetId, minutes)}`.execute(db)
  return rows[0]?.total ?? 0
}

/**
 * The common table expression `listed`: one page of an asset's rows, newest first, each with `before`, the instant of
 * the row before it in the whole history, also outside the range (D8.1).
 */
export function listed(
  orgId: number,
  assetId: number,
  minutes: Minutes,
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<unknown> {
  return sql`
    page as materialized (
      select s.minute from scan s where ${within(orgId, assetId, minutes)}
      order by s.minute desc limit ${limit} offset ${offset}
    ), read as (
      select s.*, lag(s.observed_at) over (order by s.minute) as before_on_page
      from page join scan s on s.org_id = ${orgId} and s.asset_id = ${assetId} and s.minute = page.minute
    ), listed as (
      select read.*, coalesce(read.before_on_page, (
        select b.observed_at from scan b
        where b.org_id = ${orgId} and b.asset_id = ${assetId} and b.minute < read.minute
        order by b.minute desc limit 1)) as before
      from read
    )`
}

/** Whole seconds between a row of `listed` and the row before it. */
export const DURATION = sql.raw('floor(extract(epoch from listed.observed_at - listed.before))::bigint')

import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** A range of minutes as text, both included; undefined means no bound. */
export type Minutes = { first: string | undefined; last: string | undefined }

const MINUTE_MS = 60_000
const minuteOf = (instant: string) => `${instant.slice(0, 16)}:00.000000Z`
const shift = (minute: string, minutes: number) =>
  minuteOf(new Date(Date.parse(minute) + minutes * MINUTE_MS).toISOString())

/**
 * The minutes whose rows, if they are not packed, are between two instants of `parseInstant`, both included. For the minutes of the bounds, it
 * reads their rows. The index has minutes and no instants: with minutes, PostgreSQL counts and skips rows without
 * reading them, and reads no other days.
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

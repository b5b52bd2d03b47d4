import { sql, type RawBuilder } from 'kysely'

/** Reads of the newest minute with any, and of the minute before it. Minutes since 1970. */
export type RecentReads = { rate_minute: number; rate_reads: number; rate_before: number }

export const NO_READS: RecentReads = { rate_minute: 0, rate_reads: 0, rate_before: 0 }

/** The sum, in either order, without reads that are older than the two minutes. */
export function addReads(a: RecentReads, b: RecentReads): RecentReads {
  const minute = Math.max(a.rate_minute, b.rate_minute)
  const before = (x: RecentReads) =>
    x.rate_minute === minute ? x.rate_before : x.rate_minute === minute - 1 ? x.rate_reads : 0
  const reads = (x: RecentReads) => (x.rate_minute === minute ? x.rate_reads : 0)
  return { rate_minute: minute, rate_reads: reads(a) + reads(b), rate_before: before(a) + before(b) }
}

/** `addReads` of the columns of two rows, as assignments. */
export function addedReads(a: string, b: string): RawBuilder<unknown> {
  const minute = `greatest(${a}.rate_minute, ${b}.rate_minute)`
  const reads = (x: string) => `case when ${x}.rate_minute = ${minute} then ${x}.rate_reads else 0 end`
  const before = (x: string) =>
    `case ${x}.rate_minute when ${minute} then ${x}.rate_before when ${minute} - 1 then ${x}.rate_reads else 0 end`
  return sql.raw(
    `rate_minute = ${minute}, rate_reads = ${reads(a)} + ${reads(b)}, rate_before = ${before(a)} + ${before(b)}`,
  )
}

/**
 * An estimate of the reads in the sixty seconds before `nowMs`: the current minute counts in full, the one before it
 * by its share of the sixty seconds.
 */
export function readsPerMinute(row: string, nowMs: number): RawBuilder<number> {
  const minute = Math.floor(nowMs / 60_000)
  const left = 1 - (nowMs / 60_000 - minute)
  return sql<number>`round((case
    when ${sql.ref(`${row}.rate_minute`)} >= ${minute}
      then ${sql.ref(`${row}.rate_reads`)} + ${sql.ref(`${row}.rate_before`)} * ${left}::numeric
    when ${sql.ref(`${row}.rate_minute`)} = ${minute - 1} then ${sql.ref(`${row}.rate_reads`)} * ${left}::numeric
    else 0 end)::numeric, 1)::float8`
}

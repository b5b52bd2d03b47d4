import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { DAY_MS } from '../packed/day-rows.ts'

/** A day of UTC as `2026-11-26`. */
export type Date10 = string

export const dateOf = (ms: number): Date10 => new Date(ms).toISOString().slice(0, 10)
export const addDays = (date: Date10, n: number): Date10 => dateOf(Date.parse(date) + n * DAY_MS)
export const monthStart = (date: Date10): Date10 => `${date.slice(0, 7)}-01`

/** The first day `n` months after the month of a day; `n` may be negative. */
export function addMonths(date: Date10, n: number): Date10 {
  const [year, month] = date.split('-').map(Number) as [number, number]
  return dateOf(Date.UTC(year, month - 1 + n, 1))
}

/** `detaching`: half detached from the table `of`. `alone`: a table that is not yet, or no longer, a partition of it. */
export type Partition = {
  of: 'scan' | 'movement' | 'day_packed'
  name: string
  first: Date10
  /** The day after its last one. */
  until: Date10
  state: 'attached' | 'detaching' | 'alone'
  /** Under row-level security. False only for partitions that an older release created. */
  is_protected: boolean
}

/** Oldest first. Months, and for `scan` also days. */
export async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<Omit<Partition, 'until'>>`
    select (regexp_match(c.relname, '^(scan|movement|day_packed)_'))[1] as of, c.relname as name,
           translate((regexp_match(c.relname, '[0-9_]+$'))[1], '_', '-') as first,
           case when i.inhrelid is null then 'alone' when i.inhdetachpending then 'detaching' else 'attached' end as state,
           c.relrowsecurity as is_protected
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relname ~ '^((scan|movement|day_packed)_[0-9]{4}_[0-9]{2}|scan_[0-9]{4}_[0-9]{2}_[0-9]{2})$'
    order by 3, 1`.execute(db)
  return rows.map(toPartition)
}

function toPartition({ first, ...row }: Omit<Partition, 'until'>): Partition {
  const date = first.replace(/^-/, '')
  return date.length === 10
    ? { ...row, first: date, until: addDays(date, 1) }
    : { ...row, first: `${date}-01`, until: addMonths(date, 1) }
}

/**
 * Creates the partitions that rows of a day need, without blocking readers or writers, in any role of the service (migration
 * 0141). Call under `withPartitionLock`.
 */
export async function createDay(db: Db, day: Date10): Promise<void> {
  await sql`select make_history_day(${day}::date)`.execute(db)
}

/** As the owner of the tables. */
export async function protectPartition(owner: Db, { name }: Partition): Promise<void> {
  await sql`select protect_scan_month(${name})`.execute(owner)
}

/**
 * Drops a partition, also after an interrupted attempt. Waits up to the session's `lock_timeout` for statements that may
 * still read it, and blocks nothing else. Call as the owner of the tables, under `withPartitionLock`, outside a
 * transaction.
 */
export async function dropPartition(db: Db, { of, name, state }: Partition): Promise<void> {
  const how = { attached: sql`concurrently`, detaching: sql`finalize`, alone: undefined }[state]
  if (how) await sql`alter table ${sql.table(of)} detach partition ${sql.table(name)} ${how}`.execute(db)
  await sql`drop table ${sql.table(name)}`.execute(db)
}

const LOCK = sql`hashtextextended('partitions:' || current_schema(), 0)`

/**
 * Runs `work` on a session with a lock timeout, one at a time over all replicas. Fails if another replica holds the
 * lock for longer than the timeout.
 */
export async function withPartitionLock<T>(
  db: Db,
  lockTimeoutMs: number,
  work: (session: Db) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (session) => {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, false)`.execute(session)
    try {
      await sql`select pg_advisory_lock(${LOCK})`.execute(session)
      return await work(session)
    } finally {
      await sql`select pg_advisory_unlock_all()`.execute(session)
      await sql`reset lock_timeout`.execute(session)
    }
  })
}

/** Of all organizations. */
export async function deleteReaderHoursBefore(db: Db, ms: number): Promise<void> {
  await sql`delete from reader_hour where hour < ${new Date(ms).toISOString()}::timestamptz`.execute(db)
}

/**
 * Deletes the changes of scan points before an instant. The newest of them stays, because it says what the antenna stood
 * for at that instant, unless the antenna had no scan point.
 */
export async function deleteScanPointChangesBefore(db: Db, beforeMs: number): Promise<void> {
  const before = sql`${new Date(beforeMs).toISOString()}::timestamptz`
  await sql`
    delete from scan_point_change as c
    where c.changed_at < ${before} and (c.scan_point_id is null or exists (
      select from scan_point_change as newer
      where newer.org_id = c.org_id and newer.reader_key = c.reader_key and newer.antenna = c.antenna
        and newer.changed_at > c.changed_at and newer.changed_at < ${before}))`.execute(db)
}

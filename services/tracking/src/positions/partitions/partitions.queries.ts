import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** Months as `2026-11`. */
export type Month = string

export const monthOf = (ms: number): Month => new Date(ms).toISOString().slice(0, 7)

/** The month `n` months after `month`; `n` may be negative. */
export function addMonths(month: Month, n: number): Month {
  const [year, m] = month.split('-').map(Number) as [number, number]
  return monthOf(Date.UTC(year, m - 1 + n, 1))
}

type PartitionKey = { of: 'scan' | 'movement'; month: Month }

const partitionName = ({ of, month }: PartitionKey) => `${of}_${month.replace('-', '_')}`
const table = (partition: PartitionKey) => sql.table(partitionName(partition))

/** `detaching`: half detached from the table `of`. `alone`: a table that is not yet, or no longer, a partition of it. */
export type Partition = PartitionKey & {
  state: 'attached' | 'detaching' | 'alone'
  /** Under row-level security. False only for partitions that an older release created. */
  is_protected: boolean
}

/** Oldest first. */
export async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select split_part(c.relname, '_', 1) as of, replace(right(c.relname, 7), '_', '-') as month,
           case when i.inhrelid is null then 'alone' when i.inhdetachpending then 'detaching' else 'attached' end as state,
           c.relrowsecurity as is_protected
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname ~ '^(scan|movement)_[0-9]{4}_[0-9]{2}$'
    order by month, 1`.execute(db)
  return rows
}

/**
 * Creates the partitions of a month without blocking readers or writers, in any role of the service (migration 0070).
 * Call under `withPartitionLock`.
 */
export async function createMonth(db: Db, month: Month): Promise<void> {
  await sql`select make_scan_month(${month})`.execute(db)
}

/** As the owner of the tables. */
export async function protectPartition(owner: Db, partition: PartitionKey): Promise<void> {
  await sql`select protect_scan_month(${partitionName(partition)})`.execute(owner)
}

/**
 * Drops a partition, also after an interrupted attempt. Waits up to the session's `lock_timeout` for statements that may
 * still read it, and blocks nothing else. Call as the owner of the tables, under `withPartitionLock`, outside a
 * transaction.
 */
export async function dropPartition(db: Db, partition: Omit<Partition, 'is_protected'>): Promise<void> {
  const how = { attached: sql`concurrently`, detaching: sql`finalize`, alone: undefined }[partition.state]
  if (how)
    await sql`alter table ${sql.table(partition.of)} detach partition ${table(partition)} ${how}`.execute(db)
  await sql`drop table ${table(partition)}`.execute(db)
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

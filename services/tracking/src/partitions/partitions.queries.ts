import { sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

/** Months as `2026-11`. */
export type Month = string

export const monthOf = (ms: number): Month => new Date(ms).toISOString().slice(0, 7)

/** The month `n` months after `month`; `n` may be negative. */
export function addMonths(month: Month, n: number): Month {
  const [year, m] = month.split('-').map(Number) as [number, number]
  return monthOf(Date.UTC(year, m - 1 + n, 1))
}

const partitionName = (month: Month) => `scan_${month.replace('-', '_')}`

/** Held by one replica at a time, until the transaction ends: two must not create one partition at once. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('partitions:' || current_schema(), 0))`.execute(tx)
}

export async function createPartition(tx: Tx, month: Month): Promise<void> {
  const [from, to] = [`${month}-01T00:00:00Z`, `${addMonths(month, 1)}-01T00:00:00Z`]
  await sql`
    create table if not exists ${sql.table(partitionName(month))}
    partition of scan for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
}

/** The months that have a partition, oldest first. */
export async function listPartitions(db: Db): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname = 'scan' and p.relnamespace = current_schema()::regnamespace order by 1`.execute(db)
  return rows.map((row) => row.name.replace('scan_', '').replace('_', '-'))
}

export async function dropPartition(tx: Tx, month: Month): Promise<void> {
  await sql`drop table if exists ${sql.table(partitionName(month))}`.execute(tx)
}

import { sql, type Kysely } from 'kysely'
import type { Tables } from '../src/db.ts'

/** Number of sessions of this database that wait for a lock. */
export async function waitingForLocks(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.n ?? 0
}

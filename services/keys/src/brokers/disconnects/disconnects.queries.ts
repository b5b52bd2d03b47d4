import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'

/**
 * Call in the transaction of the revocation. A suspension may have left a row: then the readers were disconnected less
 * than four seconds ago and are refused.
 */
export async function insertPendingDisconnect(tx: Tx, jti: string): Promise<void> {
  const row = tx.insertInto('pending_disconnect').values({ jti })
  await row.onConflict((conflict) => conflict.doNothing()).execute()
}

export type DueDisconnect = {
  jti: string
  /** Any login that was allowed before the revocation is connected by now. */
  is_settled: boolean
  /** Seconds since the revocation. */
  age_seconds: number
}

/**
 * Claims due rows by postponing them: other replicas skip them, and they are retried if this process dies or the
 * broker is unreachable. A decision older than 1.5 s is dropped, so a login that was allowed just before the revocation
 * is connected when the second disconnect comes.
 */
export async function claimDueDisconnects(db: Db, limit: number): Promise<DueDisconnect[]> {
  const { rows } = await sql<DueDisconnect>`
    update pending_disconnect set next_at = clock_timestamp() + interval '5 seconds'
    where jti in (
      select jti from pending_disconnect where next_at <= clock_timestamp()
      order by next_at limit ${limit} for update skip locked)
    returning jti, created_at <= clock_timestamp() - interval '4 seconds' as is_settled,
      extract(epoch from clock_timestamp() - created_at)::float8 as age_seconds`.execute(db)
  return rows
}

export async function deletePendingDisconnect(db: Db, jti: string): Promise<void> {
  await db.deleteFrom('pending_disconnect').where('jti', '=', jti).execute()
}

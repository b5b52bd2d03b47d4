import { sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

/**
 * In the transaction of the revocation. There may be a row already, of a suspension: its readers were disconnected and
 * refused less than four seconds ago.
 */
export async function insertPendingDisconnect(tx: Tx, jti: string): Promise<void> {
  const row = tx.insertInto('pending_disconnect').values({ jti })
  await row.onConflict((conflict) => conflict.doNothing()).execute()
}

export type DueDisconnect = {
  jti: string
  /** No login that was allowed before the revocation can still be on its way. */
  is_settled: boolean
  /** Since the revocation. */
  age_seconds: number
}

/**
 * Takes what is due and puts it off, so that another replica leaves it alone meanwhile, and so that it comes again if
 * this process dies or the broker cannot be reached. A login is decided within 2 s: whoever was let in an instant
 * before the revocation is connected when the second round comes.
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

import { sql } from 'kysely'
import type { Db, SecondFactorRow, Tx } from '../../db.ts'

/** How long a secret waits for its confirmation. */
const PENDING = sql`interval '10 minutes'`

/** Also one that was not confirmed, at any age. */
export function findSecondFactor(db: Db, userId: number): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

/** A secret that can still be confirmed. Ask only for a user whose codes are off. */
export function findPendingSecret(db: Db, userId: number): Promise<SecondFactorRow | undefined> {
  return db
    .selectFrom('second_factor')
    .selectAll()
    .where('user_id', '=', userId)
    .where(sql<boolean>`created_at > clock_timestamp() - ${PENDING}`)
    .executeTakeFirst()
}

/** Replaces a secret that was not confirmed. Call under `lockUser`, while codes are off. */
export async function putPendingSecret(tx: Tx, userId: number, secret: Buffer): Promise<void> {
  const fresh = { secret, used_step: 0, created_at: sql<string>`clock_timestamp()` }
  await tx
    .insertInto('second_factor')
    .values({ user_id: userId, ...fresh })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fresh))
    .execute()
}

/**
 * One statement, so that of two uses of a code at once, on any replicas, one wins. The steps before end with it: their
 * codes are older than one that was used. False also if the secret was replaced meanwhile.
 */
export async function spendStep(db: Db, row: SecondFactorRow, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factor')
    .set({ used_step: step })
    .where('user_id', '=', row.user_id)
    .where('secret', '=', row.secret)
    .where('used_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
}

/** Returns how many are left; undefined if the user has no such code. */
export async function spendRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<number | undefined> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return undefined
  const { rows } = await sql<{ left: number }>`
    select count(*)::integer as left from recovery_code where user_id = ${userId}`.execute(tx)
  return rows[0]?.left ?? 0
}

export async function markSecondFactor(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('app_user')
    .set({ second_factor_at: sql`clock_timestamp()` })
    .where('id', '=', userId)
    .execute()
}

/** With its recovery codes. */
export async function deleteSecondFactor(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('second_factor').where('user_id', '=', userId).execute()
  await tx.updateTable('app_user').set({ second_factor_at: null }).where('id', '=', userId).execute()
}

/** Deletes at most `limit` secrets that nobody confirmed, and returns their number. Locks both rows against a confirmation. */
export async function purgePendingSecrets(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from second_factor where user_id in (
      select factor.user_id from second_factor factor join app_user on app_user.id = factor.user_id
      where app_user.second_factor_at is null and factor.created_at <= clock_timestamp() - ${PENDING}
      order by factor.created_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

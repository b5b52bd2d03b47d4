import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { sql } from 'kysely'
import type { Db, MailboxProofRow, Tx } from '../../db.ts'
import { emailKey } from '../../emails.ts'
import { emailTaken } from '../../errors.ts'

const LIFE = sql<string>`clock_timestamp() + interval '1 day'`

/** For the link of a mail to this address. */
export async function putProof(
  tx: Tx,
  { userId, email, tokenHash }: { userId: number; email: string; tokenHash: Buffer },
): Promise<void> {
  const proof = { token_hash: tokenHash, user_id: userId, email, email_key: emailKey(email) }
  await tx
    .insertInto('mailbox_proof')
    .values({ ...proof, expires_at: LIFE })
    .execute()
}

export function findProof(db: Db, tokenHash: Buffer): Promise<MailboxProofRow | undefined> {
  return db
    .selectFrom('mailbox_proof')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where(sql<boolean>`expires_at > clock_timestamp()`)
    .executeTakeFirst()
}

/**
 * Ends the links that confirm an address. With a new password, because somebody else may have asked for another address
 * with the old one.
 */
export async function endProofs(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('mailbox_proof').where('user_id', '=', userId).execute()
}

/** Ends all links of the user: they went to a mailbox, or to a person, that may not be theirs. */
export async function endLinks(tx: Tx, userId: number): Promise<void> {
  await endProofs(tx, userId)
  await tx.deleteFrom('password_reset').where('user_id', '=', userId).execute()
}

/** Throws `emailTaken` if another user has the address. */
export async function updateEmail(tx: Tx, userId: number, email: string): Promise<void> {
  await tx
    .updateTable('app_user')
    .set({ email, email_key: emailKey(email), email_verified_at: sql`clock_timestamp()` })
    .where('id', '=', userId)
    .execute()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'app_user_email_taken' ? emailTaken() : error
    })
}

/** Deletes at most `limit` rows and returns their number. */
export async function purgeExpiredProofs(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mailbox_proof where token_hash in (
      select token_hash from mailbox_proof where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'

/** `org` is that of the administrator who makes the link. Without it, the link is the operator's. */
type NewLink = { userId: number; tokenHash: Buffer; org?: { id: number; createdBy: number } }

type ResetUser = { userId: number; byMail: boolean }

const LIFE = sql<string>`clock_timestamp() + interval '1 hour'`

/** Returns the expiry. Replaces the earlier link of the same issuer for the user, whose token is then invalid. */
export async function putResetLink(db: Db, { userId, tokenHash, org }: NewLink): Promise<string> {
  // Not a deletion and an insertion: together with a use of the earlier link, those could deadlock.
  const { expires_at } = await db
    .insertInto('password_reset')
    .values({
      token_hash: tokenHash,
      user_id: userId,
      org_id: org?.id ?? null,
      created_by: org?.createdBy ?? null,
      expires_at: LIFE,
    })
    .onConflict((conflict) =>
      conflict.constraint('password_reset_one_per_issuer').doUpdateSet((eb) => ({
        token_hash: eb.ref('excluded.token_hash'),
        created_by: eb.ref('excluded.created_by'),
        created_at: sql`clock_timestamp()`,
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return expires_at
}

/** For the link of a mail. Each attempt to send it puts the same one. */
export async function putMailedLink(
  tx: Tx,
  link: { userId: number; tokenHash: Buffer; mailId: string; expiresAt: string },
): Promise<void> {
  await tx
    .insertInto('password_reset')
    .values({
      token_hash: link.tokenHash,
      user_id: link.userId,
      org_id: null,
      created_by: null,
      mail_id: link.mailId,
      expires_at: link.expiresAt,
    })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute()
}

/**
 * The user of a pending link, and whether it came by mail. A link of an administrator works only while its user belongs to no other organization:
 * otherwise administrators of one organization could take over accounts in another.
 */
export async function findResetUser(db: Db, tokenHash: Buffer): Promise<ResetUser | undefined> {
  const { rows } = await sql<ResetUser>`
    select link.user_id as "userId", link.mail_id is not null as "byMail" from password_reset link
    where link.token_hash = ${tokenHash} and link.expires_at > clock_timestamp()
      and (link.org_id is null or not exists (
        select from membership m where m.user_id = link.user_id and m.org_id <> link.org_id))`.execute(db)
  return rows[0]
}

/** Deletes all links of the user. False if the one of this token is gone: of two callers, one wins. */
export async function spendResetLinks(tx: Tx, userId: number, tokenHash: Buffer): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('password_reset')
    .where('user_id', '=', userId)
    .returning('token_hash')
    .execute()
  return deleted.some(({ token_hash }) => token_hash.equals(tokenHash))
}

/** Deletes at most `limit` rows and returns their number. */
export async function purgeExpiredResetLinks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from password_reset where token_hash in (
      select token_hash from password_reset where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

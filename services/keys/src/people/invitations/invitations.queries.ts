import type { Role } from '@whereabouts/contracts/principal'
import { sql } from 'kysely'
import type { Db, InvitationRow, Tx } from '../../db.ts'
import { emailKey } from '../../emails.ts'

/** With the name of the administrator who invites, or `OPERATOR`. */
export type ListedInvitation = InvitationRow & { created_by_name: string }

type NewInvitation = {
  email: string
  role: Role
  tokenHash: Buffer
  /** Null: the operator. */
  createdBy: number | null
  /** Undefined if no mail is sent. */
  mail: { id: string; tokenHash: Buffer } | undefined
}

/** Shown as the one who invites, as in "The operator invites …". */
const OPERATOR = 'The operator'

const nameOf = (column: string) => sql<string>`coalesce(${sql.ref(column)}, ${OPERATOR})`

const LIFE = sql<string>`clock_timestamp() + interval '7 days'`
const hasToken = (hash: Buffer) => sql<boolean>`(token_hash = ${hash} or mail_token_hash = ${hash})`
const isPending = sql<boolean>`expires_at > clock_timestamp()`

/** Replaces an earlier invitation of the same address, whose token is then invalid. */
export async function putInvitation(
  tx: Tx,
  orgId: number,
  { email, role, tokenHash, createdBy, mail }: NewInvitation,
): Promise<InvitationRow> {
  const email_key = emailKey(email)
  await tx.deleteFrom('invitation').where('org_id', '=', orgId).where('email_key', '=', email_key).execute()
  return tx
    .insertInto('invitation')
    .values({
      org_id: orgId,
      email,
      email_key,
      role,
      token_hash: tokenHash,
      mail_id: mail?.id ?? null,
      mail_token_hash: mail?.tokenHash ?? null,
      created_by: createdBy,
      expires_at: LIFE,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Pending invitations, newest first. */
export function listInvitations(
  db: Db,
  orgId: number,
  page: { limit: number; offset: number },
): Promise<ListedInvitation[]> {
  return db
    .selectFrom('invitation')
    .leftJoin('app_user', 'app_user.id', 'invitation.created_by')
    .selectAll('invitation')
    .select(nameOf('app_user.name').as('created_by_name'))
    .where('org_id', '=', orgId)
    .where(isPending)
    .orderBy('invitation.created_at', 'desc')
    .orderBy('invitation.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countInvitations(db: Db, orgId: number): Promise<number> {
  const { count } = await db
    .selectFrom('invitation')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where(isPending)
    .executeTakeFirstOrThrow()
  return count
}

/** The invitation of this token, in any organization: the token does not name one. */
export function findInvitation(db: Db, tokenHash: Buffer): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('invitation')
    .selectAll()
    .where(hasToken(tokenHash))
    .where(isPending)
    .executeTakeFirst()
}

/** What the invitation says to the invited person, in words. */
export function describeInvitation(db: Db, tokenHash: Buffer) {
  return db
    .selectFrom('invitation')
    .innerJoin('org', 'org.id', 'invitation.org_id')
    .leftJoin('app_user as host', 'host.id', 'invitation.created_by')
    .select(['invitation.email', 'invitation.role', 'invitation.expires_at'])
    .select(['org.id as org_id', 'org.name as org_name'])
    .select(nameOf('host.name').as('invited_by'))
    .where(hasToken(tokenHash))
    .where(isPending)
    .executeTakeFirst()
}

/** Deletes a pending invitation, to accept or withdraw it. Undefined if it is gone: of two callers, one wins. */
export function takeInvitation(tx: Tx, orgId: number, id: number): Promise<InvitationRow | undefined> {
  return tx
    .deleteFrom('invitation')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isPending)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes at most `limit` rows and returns their number. */
export async function purgeExpiredInvitations(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from invitation where (org_id, id) in (
      select org_id, id from invitation where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

import { nextRevision } from '@whereabouts/db/outbox/revisions'
import type { Role } from '@whereabouts/contracts/principal'
import { sql } from 'kysely'
import type { Db, MembershipRow, Tx } from '../../db.ts'
import { alreadyMember } from '../../errors.ts'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { emailKey } from '../../emails.ts'
import { members, type Member } from './find-members.queries.ts'

/** With the last sign-in that still has its chain of refresh tokens: 30 days after the last use it is purged. */
export type ListedRow = Member & { last_signed_in_at: string | null }

/** In the order of joining. */
export function listMembers(
  db: Db,
  orgId: number,
  page: { limit: number; offset: number },
): Promise<ListedRow[]> {
  return members(db)
    .select((eb) =>
      eb
        .selectFrom('token_chain as chain')
        .select((chain) => chain.fn.max<string | null>('chain.created_at').as('at'))
        .whereRef('chain.org_id', '=', 'membership.org_id')
        .whereRef('chain.user_id', '=', 'membership.user_id')
        .as('last_signed_in_at'),
    )
    .where('membership.org_id', '=', orgId)
    .orderBy('membership.created_at')
    .orderBy('membership.user_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countMembers(db: Db, orgId: number): Promise<number> {
  const { count } = await db
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return count
}

export function findMembership(db: Db, orgId: number, userId: number): Promise<MembershipRow | undefined> {
  return db
    .selectFrom('membership')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export async function isMemberByEmail(db: Db, orgId: number, email: string): Promise<boolean> {
  const member = await members(db)
    .where('membership.org_id', '=', orgId)
    .where('app_user.email_key', '=', emailKey(email))
    .executeTakeFirst()
  return member !== undefined
}

/** Whether the organization has another administrator than this user. Call under `lockOrg`. */
export async function hasOtherAdmin(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const other = await tx
    .selectFrom('membership')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '<>', userId)
    .where('role', '=', 'admin')
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Throws `alreadyMember`. Call under `lockOrg`, unless the organization is new. */
export function insertMembership(tx: Tx, orgId: number, userId: number, role: Role): Promise<MembershipRow> {
  return tx
    .insertInto('membership')
    .values({ org_id: orgId, user_id: userId, role })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'membership_pkey' ? alreadyMember() : error
    })
}

/** Call under `lockOrg`. */
export function updateRole(tx: Tx, orgId: number, userId: number, role: Role): Promise<MembershipRow> {
  return tx
    .updateTable('membership')
    .set({ role, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Deletes the membership. The user's token chains and pending invitations in the organization cascade. Returns the last
 * state. Call under `lockOrg`.
 */
export function deleteMembership(
  tx: Tx,
  orgId: number,
  userId: number,
): Promise<Pick<MembershipRow, 'org_id' | 'user_id' | 'role' | 'revision'> & { deleted_at: string }> {
  return tx
    .deleteFrom('membership')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning(['org_id', 'user_id', 'role'])
    .returning(nextRevision.as('revision'))
    .returning(sql<string>`clock_timestamp()`.as('deleted_at'))
    .executeTakeFirstOrThrow()
}

/** Deletes the invitations that a user has sent for the organization. */
export async function deleteInvitationsBy(tx: Tx, orgId: number, userId: number): Promise<void> {
  await tx.deleteFrom('invitation').where('org_id', '=', orgId).where('created_by', '=', userId).execute()
}

/** Deletes the reset links that a user has made for members of the organization. */
export async function deleteResetLinksBy(tx: Tx, orgId: number, userId: number): Promise<void> {
  await tx.deleteFrom('password_reset').where('org_id', '=', orgId).where('created_by', '=', userId).execute()
}

/** Deletes the provisioning links that a user has made for the organization. */
export async function deleteProvisioningLinksBy(tx: Tx, orgId: number, userId: number): Promise<void> {
  await tx
    .deleteFrom('provisioning_link')
    .where('org_id', '=', orgId)
    .where('created_by', '=', userId)
    .execute()
}

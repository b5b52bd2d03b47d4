import type { Role } from '@whereabouts/contracts/principal'
import { sql } from 'kysely'
import type { Db, Tx, UserRow } from '../../db.ts'

/** A user as a member of one organization; `id` is the user's. */
export type Member = Pick<UserRow, 'id' | 'name' | 'email'> & {
  email_verified: boolean
  second_factor: boolean
  org_id: number
  org_name: string
  org_created_at: string
  role: Role
  revision: number
  joined_at: string
}

/** Most organizations of one user in a response. */
const MAX_SHOWN = 200

/** Undefined if the user is not a member. */
export function findMember(db: Db, orgId: number, userId: number): Promise<Member | undefined> {
  return members(db)
    .where('membership.org_id', '=', orgId)
    .where('membership.user_id', '=', userId)
    .executeTakeFirst()
}

/** The same, locked against removal and change until the transaction ends. */
export function lockMember(tx: Tx, orgId: number, userId: number): Promise<Member | undefined> {
  return members(tx)
    .where('membership.org_id', '=', orgId)
    .where('membership.user_id', '=', userId)
    .forShare('membership')
    .executeTakeFirst()
}

/** The membership for a sign-in: the one that the user joined first. */
export function findFirstMembership(db: Db, userId: number): Promise<Member | undefined> {
  return members(db)
    .where('membership.user_id', '=', userId)
    .orderBy('membership.created_at')
    .orderBy('membership.org_id')
    .limit(1)
    .executeTakeFirst()
}

/** Organizations of the user with the role in each, in the order of joining; 200 at most. */
export function listMemberships(
  db: Db,
  userId: number,
): Promise<{ id: number; name: string; role: Role; created_at: string }[]> {
  return db
    .selectFrom('membership')
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select(['org.id', 'org.name', 'membership.role', 'org.created_at'])
    .where('membership.user_id', '=', userId)
    .orderBy('membership.created_at')
    .orderBy('membership.org_id')
    .limit(MAX_SHOWN)
    .execute()
}

/** Whether the user is a member of another organization than this one. */
export async function belongsToAnotherOrg(db: Db, orgId: number, userId: number): Promise<boolean> {
  const other = await db
    .selectFrom('membership')
    .select('org_id')
    .where('user_id', '=', userId)
    .where('org_id', '<>', orgId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Members of all organizations; callers add the condition. */
export function members(db: Db) {
  return db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select(['app_user.id', 'app_user.name', 'app_user.email', 'membership.role', 'membership.org_id'])
    .select(['membership.revision', 'membership.created_at as joined_at'])
    .select(sql<boolean>`app_user.email_verified_at is not null`.as('email_verified'))
    .select(sql<boolean>`app_user.second_factor_at is not null`.as('second_factor'))
    .select(['org.name as org_name', 'org.created_at as org_created_at'])
}

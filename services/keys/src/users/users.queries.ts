import type { Role } from '@whereabouts/contracts/principal'
import type { Db, Tx, UserRow } from '../db.ts'
import { emailTaken } from '../errors.ts'
import { emailKey } from './emails.ts'
import type { PasswordHash } from './passwords.ts'

/** A user as a member of one organization. */
export type Member = Pick<UserRow, 'id' | 'name' | 'email'> & {
  org_id: number
  org_name: string
  org_created_at: string
  role: Role
}

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('app_user').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst()
}

/** Throws `emailTaken`, also when the other sign-up with the address committed a moment ago. */
export async function insertUser(
  tx: Tx,
  user: { name: string; email: string } & PasswordHash,
): Promise<number> {
  const row = { ...user, email_key: emailKey(user.email) }
  const { id } = await tx
    .insertInto('app_user')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw violates(error, 'app_user_email_taken') ? emailTaken() : error
    })
  return id
}

export async function insertMembership(tx: Tx, orgId: number, userId: number, role: Role): Promise<void> {
  await tx.insertInto('membership').values({ org_id: orgId, user_id: userId, role }).execute()
}

/** Undefined when the user is no member, or no longer. */
export function findMember(db: Db, orgId: number, userId: number): Promise<Member | undefined> {
  return members(db)
    .where('membership.org_id', '=', orgId)
    .where('membership.user_id', '=', userId)
    .executeTakeFirst()
}

/** The organization a sign-in leads to: the one the user joined first. */
export function findFirstMembership(db: Db, userId: number): Promise<Member | undefined> {
  return members(db)
    .where('membership.user_id', '=', userId)
    .orderBy('membership.created_at')
    .orderBy('membership.org_id')
    .limit(1)
    .executeTakeFirst()
}

function members(db: Db) {
  return db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select(['app_user.id', 'app_user.name', 'app_user.email', 'membership.role', 'membership.org_id'])
    .select(['org.name as org_name', 'org.created_at as org_created_at'])
}

const violates = (error: unknown, constraint: string) =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint

import type { Db, Tx, UserRow } from '../../db.ts'
import { emailTaken } from '../../errors.ts'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { emailKey } from '../../emails.ts'
import type { PasswordHash } from './passwords.ts'

export type NewUser = { name: string; email: string } & PasswordHash

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('app_user').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst()
}

/** Throws `emailTaken`, also if a concurrent sign-up with the address commits first. */
export async function insertUser(tx: Tx, user: NewUser): Promise<number> {
  const row = { ...user, email_key: emailKey(user.email) }
  const { id } = await tx
    .insertInto('app_user')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'app_user_email_taken' ? emailTaken() : error
    })
  return id
}

import { addressBlock } from '@whereabouts/service-kit/address-block'
import type { Attempts } from '../attempts/attempts.ts'
import type { Db, UserRow } from '../db.ts'
import { invalidLogin } from '../errors.ts'
import type { Passwords } from './passwords.ts'
import { findUserByEmail } from './users.queries.ts'

type Deps = { db: Db; passwords: Passwords; attempts: Attempts }
type Attempt = { email: string; password: string; clientAddress: string }

/**
 * The user with this e-mail and password. Throws 429, and one 401 for any wrong value. The guess is counted before it
 * is checked, so that parallel guesses cannot pass. Call `attempts.admit` first.
 */
export async function checkPassword(
  { db, passwords, attempts }: Deps,
  { email, password, clientAddress }: Attempt,
): Promise<UserRow> {
  const attempt = await attempts.onAccount(email, clientAddress)
  const user = await findUserByEmail(db, email)
  const right = await passwords.matches(addressBlock(clientAddress), password, user)
  if (!right || !user) throw invalidLogin()
  await attempt.succeeded()
  return user
}

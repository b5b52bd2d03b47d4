import type { Db, UserRow } from '../db.ts'
import { invalidLogin, tooManyAttempts } from '../errors.ts'
import type { Throttle } from '../tokens/throttle.ts'
import { emailKey } from './emails.ts'
import type { Passwords } from './passwords.ts'
import { findUserByEmail } from './users.queries.ts'

type Deps = { db: Db; passwords: Passwords; throttle: Throttle }
type Attempt = { email: string; password: string; clientAddress: string }

/**
 * The user with this e-mail and password. Throws the one 401 for everything that is wrong, and 429. A guess is paid for
 * before it is checked, so that a burst of parallel guesses cannot slip through.
 */
export async function checkPassword(
  { db, passwords, throttle }: Deps,
  { email, password, clientAddress }: Attempt,
): Promise<UserRow> {
  const guesser = `login|${clientAddress}|${emailKey(email)}`
  const waitSeconds = throttle.take(guesser)
  if (waitSeconds !== undefined) throw tooManyAttempts(waitSeconds)
  const user = await findUserByEmail(db, email)
  const right = await passwords.matches(password, user)
  if (!right || !user) throw invalidLogin()
  throttle.giveBack(guesser)
  return user
}

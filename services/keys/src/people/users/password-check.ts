import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { KnownDevices } from '../../attempts/known-devices.ts'
import type { UserRow } from '../../db.ts'
import { invalidLogin } from '../../errors.ts'
import type { Passwords } from './passwords.ts'
import { checkCode, isGuess, type CodeDeps } from '../second-factor/code-check.ts'
import { auditFailure } from './user-audit.ts'
import { findUserByEmail } from './users.queries.ts'

type Deps = CodeDeps & { passwords: Passwords; devices: KnownDevices }
/** `device`: what the browser says to have signed in with before. */
type Attempt = {
  email: string
  password: string
  code?: string | undefined
  clientAddress: string
  device?: string | undefined
}

/**
 * The user with this e-mail and password, and with this code if theirs are on. Throws 429, one 401 for any wrong value,
 * and another one for a code. The guess is counted before it is checked, so that parallel guesses cannot pass. Call
 * `attempts.admit` first.
 */
export async function checkPassword(
  deps: Deps,
  { email, password, code, clientAddress, device }: Attempt,
): Promise<UserRow> {
  const { db, passwords, attempts, devices } = deps
  const before = device ? await findUserByEmail(db, email) : undefined
  const isKnown = device !== undefined && before !== undefined && devices.isKnown(device, before)
  const attempt = await attempts.onAccount(email, clientAddress, isKnown ? device : undefined)
  const user = await findUserByEmail(db, email) // only now: it may have waited for seconds
  const right = await passwords.matches(addressBlock(clientAddress), password, user)
  if (!right || !user) {
    await auditFailure(db, user?.id ?? 0)
    throw invalidLogin()
  }
  // Each sign-in with codes begins without one, which is not a guess.
  if (!isGuess(user, code)) await attempt.succeeded()
  await checkCode(deps, user, code)
  if (isGuess(user, code)) await attempt.succeeded()
  return user
}

/**
 * Whether what was checked still holds; call with the locked row. Otherwise no session may start: a new password ends
 * those of the old one, and switched-on codes are not only for the next sign-in.
 */
export const isUnchanged = (now: UserRow | undefined, checked: UserRow): now is UserRow =>
  now !== undefined &&
  now.password_hash.equals(checked.password_hash) &&
  now.second_factor_at === checked.second_factor_at

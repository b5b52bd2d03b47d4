import { sql } from 'kysely'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { Attempts } from '../../attempts/attempts.ts'
import type { KnownDevices } from '../../attempts/known-devices.ts'
import type { Db, UserRow } from '../../db.ts'
import { invalidLogin } from '../../errors.ts'
import type { Passwords } from './passwords.ts'
import { auditUser } from './user-audit.ts'
import { findUserByEmail } from './users.queries.ts'

type Deps = { db: Db; passwords: Passwords; attempts: Attempts; devices: KnownDevices }
/** `device`: what the browser says to have signed in with before. */
type Attempt = { email: string; password: string; clientAddress: string; device?: string | undefined }

/**
 * The user with this e-mail and password. Throws 429, and one 401 for any wrong value. The guess is counted before it
 * is checked, so that parallel guesses cannot pass. Call `attempts.admit` first.
 */
export async function checkPassword(
  { db, passwords, attempts, devices }: Deps,
  { email, password, clientAddress, device }: Attempt,
): Promise<UserRow> {
  const before = device ? await findUserByEmail(db, email) : undefined
  const isKnown = device !== undefined && before !== undefined && devices.isKnown(device, before)
  const attempt = await attempts.onAccount(email, clientAddress, isKnown ? device : undefined)
  const user = await findUserByEmail(db, email) // only now: it may have waited for seconds
  const right = await passwords.matches(addressBlock(clientAddress), password, user)
  if (!right || !user) {
    await auditFailure(db, user?.id ?? 0)
    throw invalidLogin()
  }
  await attempt.succeeded()
  return user
}

/**
 * Takes about as long for an address without an account, which has no organization: the commit does not wait for the disk.
 * So the last rows may be missing after a crash of the database.
 */
const auditFailure = (db: Db, userId: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx)
    await auditUser(tx, userId, { action: 'session.fail', id: null })
  })

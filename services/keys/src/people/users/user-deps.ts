import type { Attempts } from '../../attempts/attempts.ts'
import type { KnownDevices } from '../../attempts/known-devices.ts'
import type { Db, Tenants } from '../../db.ts'
import type { AccessTokens } from '../../credentials/tokens/access-tokens.ts'
import type { Mails } from '../mail/mails.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import type { Passwords } from './passwords.ts'

/** For the handlers of users, sessions and accepted invitations. */
export type UserDeps = {
  tenants: Tenants
  /** Sees all organizations, because a user signs in without naming one and may belong to several. */
  db: Db
  passwords: Passwords
  secondFactors: SecondFactors
  attempts: Attempts
  devices: KnownDevices
  accessTokens: AccessTokens
  mails: Mails
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

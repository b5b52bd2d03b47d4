import type { Attempts } from '../attempts/attempts.ts'
import type { Db, Tenants } from '../db.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import type { Passwords } from './passwords.ts'

/** Used by the handlers of users, their sessions and their invitations. */
export type UserDeps = {
  tenants: Tenants
  /** Across organizations: a person signs in before it is known to which one, and belongs to several. */
  db: Db
  passwords: Passwords
  attempts: Attempts
  accessTokens: AccessTokens
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

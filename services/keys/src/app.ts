import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/principal'
import { serve } from '@whereabouts/service-kit/serve'
import { createServer } from '@whereabouts/service-kit/server'
import type { FastifyInstance } from 'fastify'
import { apiKeyHandlers } from './api-keys/api-keys.handlers.ts'
import { serveKeyStates } from './api-keys/internal.route.ts'
import type { Db, Tenants } from './db.ts'
import { acceptanceHandler } from './invitations/acceptance.ts'
import { invitationHandlers } from './invitations/invitations.handlers.ts'
import { serveMemberStates } from './members/internal.route.ts'
import { memberHandlers } from './members/members.handlers.ts'
import { orgHandlers } from './orgs/orgs.handlers.ts'
import { refuseOtherOrganizations } from './orgs/own-organization.ts'
import { createAccessTokens } from './tokens/access-tokens.ts'
import { serveJwks } from './tokens/jwks.route.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import { createThrottle } from './tokens/throttle.ts'
import { tokenHandlers } from './tokens/tokens.handlers.ts'
import { createPasswords } from './users/passwords.ts'
import { createSlots } from './users/slots.ts'
import { userHandlers } from './users/users.handlers.ts'

export type AppDeps = {
  /** Of one organization each. */
  tenants: Tenants
  /** Across organizations: to find out who it is that comes, and to which organization that leads. */
  db: Db
  log: Logger
  registry: Registry
  verify: PrincipalVerifier
  signingKeys: SigningKeys
  environment: string
  /** Milliseconds since 1970. */
  now: () => number
  /** Called after each commit that others must hear of. */
  onChange: () => void
}

/** Two hashes at once leave the thread pool, and the other core, to everybody else. */
const PASSWORD_SLOTS = { concurrent: 2, waiting: 100 }

export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  const accessTokens = createAccessTokens(deps)
  const throttle = createThrottle(deps)
  const passwords = createPasswords(createSlots(PASSWORD_SLOTS))
  const userDeps = { ...deps, throttle, accessTokens, passwords }
  refuseOtherOrganizations(app)
  serve(app, 'keys', {
    verify: deps.verify,
    handlers: {
      ...tokenHandlers({ ...deps, throttle, accessTokens }),
      ...userHandlers(userDeps),
      ...acceptanceHandler(userDeps),
      ...memberHandlers(deps),
      ...invitationHandlers(deps),
      ...orgHandlers(deps),
      ...apiKeyHandlers(deps),
    },
  })
  serveJwks(app, deps.signingKeys)
  serveKeyStates(app, deps.db)
  serveMemberStates(app, deps.tenants)
  return app
}

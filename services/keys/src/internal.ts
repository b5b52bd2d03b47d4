import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { invalidToken } from '@whereabouts/service-kit/errors'
import type { FastifyInstance } from 'fastify'
import { serveKeyStates } from './api-keys/internal.route.ts'
import type { Db, Tenants } from './db.ts'
import { serveMemberStates } from './members/internal.route.ts'
import { serveChainEnds } from './tokens/internal.route.ts'

export type InternalDeps = {
  /** Of one organization each. */
  tenants: Tenants
  /** Across organizations: to find out who it is that comes, and to which organization that leads. */
  db: Db
  /** Whether a token says that a gateway asks. */
  verifyGateway: (token: string) => Promise<boolean>
  /** Gateways of the release before ask without a token: while they are replaced, that is allowed. */
  isCredentialOptional: boolean
}

/** What gateways ask and nobody else may. Not in the route table, so no gateway proxies anything to it. */
export function serveInternal(app: FastifyInstance, deps: InternalDeps): void {
  const { tenants, db, verifyGateway, isCredentialOptional } = deps
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }) => {
      const token = headers[PRINCIPAL_HEADER]
      if (token === undefined && isCredentialOptional) return
      if (typeof token !== 'string' || !(await verifyGateway(token))) throw invalidToken()
    })
    serveKeyStates(scope, db)
    serveMemberStates(scope, tenants)
    serveChainEnds(scope, db)
  })
}

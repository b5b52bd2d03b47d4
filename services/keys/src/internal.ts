import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { invalidToken } from '@whereabouts/service-kit/errors'
import type { FastifyInstance } from 'fastify'
import { serveKeyStates } from './api-keys/internal.route.ts'
import type { Db, Tenants } from './db.ts'
import { serveMemberStates } from './members/internal.route.ts'
import { serveChainEnds } from './tokens/internal.route.ts'

export type InternalDeps = {
  /** Each sees one organization. */
  tenants: Tenants
  /** Sees all organizations, to find the caller and its organization. */
  db: Db
  /** Whether a token is a gateway's credential. */
  verifyGateway: (token: string) => Promise<boolean>
  /** During an upgrade: gateways of the last release send no token. */
  isCredentialOptional: boolean
}

/** Routes for gateways only. They are not in the route table, so no gateway proxies to them. */
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

import { Uuid, readId } from '@whereabouts/contracts/rules/ids'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { FastifyInstance } from 'fastify'
import { findKeyByJti } from './credentials/api-keys/api-keys.queries.ts'
import { toKeyState } from './credentials/api-keys/api-keys.state.ts'
import type { Db, Tenants } from './db.ts'
import { apiKeyNotFound, memberNotFound } from './errors.ts'
import { findMembership } from './organizations/members/members.queries.ts'
import { toMemberState } from './organizations/members/members.state.ts'
import { isChainAlive } from './credentials/tokens/tokens.queries.ts'

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

/**
 * States in the database, for a gateway whose view of KEYS is not current. They tell no more than the stream. No path
 * below /internal is in the route table, so no gateway proxies to it.
 */
export function serveInternal(app: FastifyInstance, deps: InternalDeps): void {
  const { tenants, db, verifyGateway, isCredentialOptional } = deps
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }, reply) => {
      reply.header('cache-control', 'no-store')
      const token = headers[PRINCIPAL_HEADER]
      if (token === undefined && isCredentialOptional) return
      if (typeof token !== 'string' || !(await verifyGateway(token))) throw invalidToken()
    })

    const operation = (operationId: string) => ({ config: { operationId } })
    type Named<Names extends string> = { Params: Record<Names, string> }

    scope.get<Named<'jti'>>('/internal/keys/:jti', operation('getKeyState'), async ({ params: { jti } }) => {
      const key = Uuid.safeParse(jti).success ? await findKeyByJti(db, jti) : undefined
      if (!key) throw apiKeyNotFound()
      return toKeyState(key)
    })

    scope.get<Named<'org' | 'user'>>(
      '/internal/members/:org/:user',
      operation('getMemberState'),
      async ({ params }) => {
        const [org, user] = [readId(params.org), readId(params.user)]
        const isNamed = 'id' in org && 'id' in user
        const member = isNamed ? await findMembership(tenants.forOrg(org.id), org.id, user.id) : undefined
        if (!member) throw memberNotFound()
        return toMemberState(member)
      },
    )

    // Always 200: a 404 means a replica of a release without this route, and not an end.
    scope.get<Named<'org' | 'chain'>>(
      '/internal/chains/:org/:chain',
      operation('getChainEnd'),
      async ({ params: { org: text, chain } }) => {
        const org = readId(text)
        const isAlive =
          'id' in org && Uuid.safeParse(chain).success && (await isChainAlive(db, org.id, chain))
        return { ended: !isAlive }
      },
    )
  })
}

import { Uuid, readId } from '@whereabouts/contracts/ids'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db.ts'
import { isChainAlive } from './tokens.queries.ts'

/**
 * Whether a session, or a chain of a key's tokens, has ended, like `/internal/keys` for keys. Always 200: a 404 means a
 * replica of a release without this route, and not an end.
 */
export function serveChainEnds(scope: FastifyInstance, db: Db): void {
  scope.get<{ Params: { org: string; chain: string } }>(
    '/internal/chains/:org/:chain',
    { config: { operationId: 'getChainEnd' } },
    async (request, reply) => {
      const org = readId(request.params.org)
      const { chain } = request.params
      const isAlive = 'id' in org && Uuid.safeParse(chain).success && (await isChainAlive(db, org.id, chain))
      return reply.header('cache-control', 'no-store').send({ ended: !isAlive })
    },
  )
}

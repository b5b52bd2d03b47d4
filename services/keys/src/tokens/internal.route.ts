import { Uuid, readId } from '@whereabouts/contracts/ids'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db.ts'
import { isChainAlive } from './tokens.queries.ts'

/**
 * Whether a session, or a chain of a key's tokens, has ended: what `/internal/keys` is for keys. Always 200, so that the
 * 404 of a replica that does not know the route yet cannot be taken for an end.
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

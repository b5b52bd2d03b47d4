import { Uuid } from '@whereabouts/contracts/ids'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db.ts'
import { apiKeyNotFound } from '../errors.ts'
import { findKeyByJti } from './api-keys.queries.ts'
import { toKeyState } from './api-keys.state.ts'

/**
 * The state of a key in the database, for a gateway that does not have it from the KEYS stream. No path below /internal
 * is in the route table, so the gateway proxies nothing to it: only the cluster reaches it. It tells no more than the
 * KEYS stream tells the same services.
 */
export function serveKeyStates(app: FastifyInstance, db: Db): void {
  app.get<{ Params: { jti: string } }>(
    '/internal/keys/:jti',
    { config: { operationId: 'getKeyState' } },
    async (request, reply) => {
      const { jti } = request.params
      const key = Uuid.safeParse(jti).success ? await findKeyByJti(db, jti) : undefined
      if (!key) throw apiKeyNotFound()
      return reply.header('cache-control', 'no-store').send(toKeyState(key))
    },
  )
}

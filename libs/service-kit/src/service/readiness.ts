import type { FastifyInstance } from 'fastify'
import type { Checks } from './ops.ts'

/** No path below /internal is in the route table, so no gateway forwards a request to it. */
export const READINESS_PATH = '/internal/ready'

/**
 * Tells the gateway whether this process is ready, by the same checks as `/readyz`, for `/healthz` of the public
 * address. It is on the port of the API, because the other port is closed to the gateway. Always 200: an unready
 * service has not failed to answer.
 */
export function serveReadiness(app: FastifyInstance, ready: Checks): void {
  app.get(READINESS_PATH, { config: { operationId: 'getReadiness' } }, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-store', 'content-type': 'application/json' })
      .send({ ready: Object.values(await ready()).every(Boolean) }),
  )
}

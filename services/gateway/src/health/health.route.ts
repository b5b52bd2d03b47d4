import type { FastifyInstance } from 'fastify'
import type { GatewayDeps } from '../deps.ts'
import { healthOf } from './health.ts'

/** The health of the API, for uptime checks (D12.15). */
const HEALTH_PATH = '/healthz'

/** Serves it to every client, without a token and without the web filter: uptime checks send all kinds of `User-Agent`. */
export function addHealth(
  app: FastifyInstance,
  { upstreams: { catalog, tracking, keys }, hasSigningKeys }: GatewayDeps,
): void {
  const health = healthOf({ services: { catalog, keys, tracking }, hasSigningKeys })
  app.addHook('onClose', () => health.close())
  app.get(HEALTH_PATH, { config: { operationId: 'getHealth', servesAll: true } }, async (_request, reply) => {
    const parts = Object.entries(await health.now())
    const isWell = parts.every(([, works]) => works)
    const wordOf = (works: boolean) => (works ? 'ok' : 'unavailable')
    return reply
      .status(isWell ? 200 : 503)
      .headers({ 'cache-control': 'no-store', ...(!isWell && { 'retry-after': '1' }) })
      .type('application/json')
      .send({
        status: wordOf(isWell),
        parts: Object.fromEntries(parts.map(([name, works]) => [name, wordOf(works)])),
      })
  })
}

import { isEndless, type RouteTable, type Upstream } from '@whereabouts/contracts/route'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { createServer } from '@whereabouts/service-kit/server'
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from './auth/authenticator.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { GatewayMetrics } from './metrics.ts'
import { edgeHeaders } from './pipeline/edge-headers.ts'
import { legacy } from './pipeline/legacy.ts'
import { addPipeline, protocolErrors } from './pipeline/pipeline.ts'
import { addOperations } from './proxy/operations.ts'
import { addConsole, addConsoleSessions, addSigningKeys } from './proxy/pass-through.ts'
import { openStreams } from './proxy/open-streams.ts'
import { addProxy, addStreamProxy } from './proxy/proxy.ts'
import { addReference } from './reference/reference.ts'

export type GatewayDeps = {
  log: Logger
  registry: Registry
  metrics: GatewayMetrics
  authenticate: Authenticate
  limiter: RateLimiter
  /** Origins, without a slash at their end. */
  upstreams: Readonly<Record<Upstream | 'console', string>>
  refusedAgents: readonly string[]
  /** Whether people and integrators come here over https. */
  isSecure: boolean
  /** Proxies in front whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  /**
   * `keepAlive`: how long a connection to a service may idle. `stall`: how long a file may not move before its
   * connection is ended; two minutes unless said.
   */
  timeoutsMs: { read: number; write: number; keepAlive: number; stall?: number }
  /** The route table. */
  routes: RouteTable
  /** When everything below /legacy/api/v1 is withdrawn; undefined while no date is set. */
  legacySunset: Date | undefined
}

/** The public port, in the order of D2. No I/O until it listens. */
export function buildApp(deps: GatewayDeps): FastifyInstance {
  const old = legacy(deps.legacySunset)
  const headersOf = edgeHeaders(deps.isSecure)
  const app = createServer(deps, {
    ...protocolErrors(old, headersOf),
    isPublic: true,
    trustProxy: deps.trustedProxies.length > 0 && [...deps.trustedProxies],
  })
  addPipeline(app, { refusedAgents: deps.refusedAgents, routes: deps.routes, legacy: old, headersOf })
  addReference(app, deps.routes)
  // A scope of its own: the pass-through below brings its own `reply.from`.
  const streams = openStreams(deps.authenticate)
  app.addHook('preClose', async () => streams.close())
  app.register(async (scope) => {
    addProxy(scope, deps.timeoutsMs.keepAlive)
    addOperations(scope, { ...deps, streams }, (row) => !isEndless(row))
    addSigningKeys(scope, deps)
    addConsoleSessions(scope, deps)
  })
  app.register(async (scope) => {
    addStreamProxy(scope, deps.timeoutsMs)
    addOperations(scope, { ...deps, streams }, isEndless)
  })
  addConsole(app, deps)
  return app
}

import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import type { GatewayDeps } from './deps.ts'
import { addHealth } from './health/health.route.ts'
import { limitConnections } from './limits/connections.ts'
import { edgeHeaders } from './pipeline/edge-headers.ts'
import { legacy } from './pipeline/legacy.ts'
import { addPipeline, protocolErrors } from './pipeline/pipeline.ts'
import { openStreams } from './proxy/open-streams.ts'
import { limitBodies } from './proxy/body-budget.ts'
import { addOperations } from './proxy/operations.ts'
import { addPassThrough } from './proxy/pass-through.ts'
import { places } from './proxy/places.ts'
import { addReference } from './reference/reference.ts'
import { addSecurityTxt } from './reference/security-txt.ts'

/** The public port, in the order of D2. No I/O until it listens. */
export function buildApp(deps: GatewayDeps): FastifyInstance {
  const legacyRules = legacy(deps.legacySunset)
  const headersOf = edgeHeaders(deps.publicUrl.startsWith('https:'))
  const app = createServer(deps, {
    ...protocolErrors(legacyRules, headersOf),
    isPublic: true,
    trustProxy: deps.trustedProxies.length > 0 && [...deps.trustedProxies],
  })
  addPipeline(app, { refusedAgents: deps.refusedAgents, routes: deps.routes, legacy: legacyRules, headersOf })
  limitConnections(app.server, {
    most: deps.maxConnectionsPerAddress,
    trustedProxies: deps.trustedProxies,
    log: deps.log,
  })
  limitBodies(app, deps.maxBodyBytesInFlight, deps.log)
  addReference(app, deps.routes, deps.publicUrl)
  addSecurityTxt(app, deps.securityContact, deps.publicUrl)
  addHealth(app, deps)
  const streams = openStreams(deps.authenticate)
  app.addHook('preClose', async () => streams.close())
  const placesAt = places(app, deps.log, deps.metrics.places)
  addOperations(app, { ...deps, streams, placesAt })
  addPassThrough(app, { ...deps, placesAt })
  return app
}

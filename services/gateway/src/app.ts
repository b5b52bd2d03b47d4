import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import type { GatewayDeps } from './deps.ts'
import { addHealth } from './health/health.route.ts'
import { limitConnections } from './limits/connections.ts'
import { addMcp } from './mcp/mcp.route.ts'
import { organizationExports } from './organization-export/organization-exports.ts'
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
import type { Rate, Take } from '@whereabouts/db/buckets/token-bucket'
import type { KeyObject } from 'node:crypto'
import { authenticator } from './auth/authenticator.ts'
import { deviceAuthenticator } from './auth/devices.ts'
import { keyDirectory } from './auth/key-directory.ts'
import type { KeyView } from './auth/key-view.ts'
import type { TokenVerifier } from './auth/token-verifier.ts'
import { rateLimiter } from './limits/rate-limiter.ts'
import { signGateway } from '@whereabouts/service-kit/http/principal'

type Parts = Omit<
  GatewayDeps,
  'authenticate' | 'authenticateDevice' | 'bearerOfDevice' | 'limiter' | 'hasSigningKeys'
> & {
  view: KeyView
  /** Whether the view is as new as the stream KEYS. */
  isCurrent: () => boolean
  verifier: TokenVerifier
  signingKey: KeyObject
  takeShared: (bucket: string, rate: Rate) => Promise<Take>
}

/** All parts of the gateway, connected. `main.ts` and the tests open the connections. Nothing is listening yet. */
export function wire({ view, isCurrent, verifier, signingKey, takeShared, ...deps }: Parts): FastifyInstance {
  const { log, metrics, upstreams } = deps
  const credential = gatewayCredential(signingKey)
  const { lookups, decisions } = metrics
  const directory = keyDirectory({ view, isCurrent, keysUrl: upstreams.keys, log, credential, lookups })
  const authenticate = authenticator({ verifier, directory, signingKey })
  const devices = deviceAuthenticator({ authenticate, keysUrl: upstreams.keys, log })
  const app = buildApp({
    ...deps,
    authenticate,
    authenticateDevice: devices.authenticateDevice,
    bearerOfDevice: devices.bearerOfDevice,
    limiter: rateLimiter({ takeShared, log, decisions }),
    hasSigningKeys: () => verifier.hasKeys(),
  })
  app.addHook('onClose', () => Promise.all([directory.close(), devices.close()]))
  return app
}

const LIFE_SECONDS = 900
const RENEWED_SECONDS = 120

/** The token for requests of the gateway itself to `keys`. Signed again two minutes before it expires. */
function gatewayCredential(signingKey: KeyObject, now: () => number = Date.now): () => Promise<string> {
  let signed: { token: Promise<string>; until: number } | undefined
  return () => {
    const seconds = Math.floor(now() / 1_000)
    if (!signed || signed.until - RENEWED_SECONDS <= seconds) {
      const until = seconds + LIFE_SECONDS
      signed = { token: signGateway(signingKey, until, 'keys'), until }
    }
    return signed.token
  }
}

/** The public port, in the order of D2. No I/O until it listens. */
function buildApp(deps: GatewayDeps): FastifyInstance {
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
  const exports = organizationExports(deps)
  app.addHook('onClose', async () => exports.close())
  addOperations(app, { ...deps, streams, placesAt, organizationExports: exports })
  addMcp(app, deps)
  addPassThrough(app, { ...deps, placesAt })
  return app
}

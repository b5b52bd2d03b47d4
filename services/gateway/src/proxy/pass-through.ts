import httpProxy from '@fastify/http-proxy'
import { JWKS_PATH } from '@whereabouts/contracts/token-claims'
import { withoutQuery } from '@whereabouts/service-kit/error-handler'
import type { FastifyInstance } from 'fastify'
import type { GatewayDeps } from '../app.ts'
import { passedToConsole, requestHeaders } from './headers.ts'
import { SESSION_PATH } from '../pipeline/allowed-methods.ts'
import { forward, proxyOptions } from './proxy.ts'

/** The public signing keys: needs no token and is in no route table. */
export function addSigningKeys(
  scope: FastifyInstance,
  { upstreams, timeoutsMs, metrics: { failures } }: GatewayDeps,
): void {
  scope.get(JWKS_PATH, async (request, reply) =>
    forward(reply, {
      upstream: 'keys',
      origin: upstreams.keys,
      path: JWKS_PATH,
      headers: requestHeaders(request, {}),
      timeoutMs: timeoutsMs.read,
      failures,
    }),
  )
}

/** What the console is asked to do for the session of a browser; the cookie it is kept in is checked there. */
export function addConsoleSessions(
  scope: FastifyInstance,
  { upstreams, timeoutsMs, metrics: { failures } }: GatewayDeps,
): void {
  scope.post(`${SESSION_PATH}:action(^[a-z-]+$)`, async (request, reply) =>
    forward(reply, {
      upstream: 'console',
      origin: upstreams.console,
      path: withoutQuery(request.url),
      headers: {
        ...requestHeaders(request, { passed: passedToConsole.sessions }),
        'x-forwarded-host': request.headers.host ?? '',
      },
      body: request.body as Buffer | undefined,
      timeoutMs: timeoutsMs.write,
      failures,
    }),
  )
}

/** The web app, below everything that is nothing else. */
export function addConsole(
  app: FastifyInstance,
  { upstreams, timeoutsMs, metrics: { failures } }: GatewayDeps,
): void {
  app.register(httpProxy, {
    ...proxyOptions(timeoutsMs.keepAlive),
    upstream: upstreams.console,
    routes: ['/*'],
    httpMethods: ['GET'],
    proxyPayloads: false,
    preRewrite: () => '/', // the handler builds the destination; the plugin's own answers 500 to `//host`
    config: { catchAll: true },
    handler: (request, reply) =>
      forward(reply, {
        upstream: 'console',
        origin: upstreams.console,
        path: withoutQuery(request.url),
        headers: requestHeaders(request, { passed: passedToConsole.pages }),
        timeoutMs: timeoutsMs.read,
        servesPages: true,
        failures,
      }),
  })
}

import { JWKS_PATH } from '@whereabouts/contracts/resources/keys/token-claims'
import { refusePacked } from '@whereabouts/service-kit/http/headers/content-encoding'
import type { FastifyInstance } from 'fastify'
import type { GatewayDeps } from '../deps.ts'
import { SESSION_PATH } from '../pipeline/allowed-methods.ts'
import { passedToConsole, requestHeaders } from './headers.ts'
import { mount } from './mount.ts'
import { MAX_OPEN_BODY_BYTES } from './open-bodies.ts'
import type { PlacesAt } from './places.ts'

/** Mounts that are not in the route table and need no token: signing keys, sessions of browsers, the console. */
export function addPassThrough(
  app: FastifyInstance,
  { upstreams, timeoutsMs, metrics: { failures }, placesAt }: GatewayDeps & { placesAt: PlacesAt },
): void {
  const to = (upstream: 'keys' | 'console') => ({
    upstreamOf: () => upstream,
    originOf: () => upstreams[upstream],
    failures,
    placesAt,
    timeoutMs: timeoutsMs.read,
    keepAliveMs: timeoutsMs.keepAlive,
  })
  mount(app, {
    ...to('keys'),
    method: 'GET',
    urls: [JWKS_PATH],
    config: { servesAll: true },
    headersOf: (request) => requestHeaders(request, {}),
  })
  // The console checks the cookie in which it keeps the session.
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }) => refusePacked(headers))
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = MAX_OPEN_BODY_BYTES
    })
    mount(scope, {
      ...to('console'),
      method: 'POST',
      urls: [`${SESSION_PATH}:action(^[a-z-]+$)`],
      body: 'bytes',
      headersOf: (request) => ({
        ...requestHeaders(request, { passed: passedToConsole.sessions }),
        'x-forwarded-host': request.headers.host ?? '',
      }),
      timeoutMs: timeoutsMs.write,
    })
  })
  // Every path that nothing else matches.
  mount(app, {
    ...to('console'),
    method: 'GET',
    urls: ['/*'],
    config: { catchAll: true },
    headersOf: (request) => requestHeaders(request, { passed: passedToConsole.pages }),
    servesPages: true,
  })
}

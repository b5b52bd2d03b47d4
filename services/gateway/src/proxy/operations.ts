import { isEndless, sendsOn, type Route } from '@whereabouts/contracts/route'
import { MOST_WAIT_SECONDS } from '@whereabouts/contracts/resources/webhooks/events'
import { routePath } from '@whereabouts/contracts/routes'
import { withoutQuery } from '@whereabouts/service-kit/http/error-handler'
import { invalidRefreshToken, invalidToken, unknownRoute } from '@whereabouts/service-kit/errors/errors'
import { checkMediaType } from '@whereabouts/service-kit/http/read-request'
import { parsePairs } from '@whereabouts/service-kit/http/request-body'
import { messageLimit } from '@whereabouts/service-kit/http/serve'
import { checkAnnouncedSize, streamBodies, uploadConfig } from '@whereabouts/service-kit/http/upload'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { checkAccess } from '../auth/access.ts'
import type { Caller } from '../auth/authenticator.ts'
import { readBearer } from '../auth/bearer.ts'
import type { Decision } from '../limits/bucket.ts'
import { charge, limitOf } from '../limits/charge.ts'
import type { GatewayDeps } from '../deps.ts'
import { passedOnTheWay, passedToServices, passedWithMessages, requestHeaders } from './headers.ts'
import { mount } from './mount.ts'
import { MAX_OPEN_BODY_BYTES, MAX_TOKEN_BYTES } from './open-bodies.ts'
import type { OpenStreams } from './open-streams.ts'
import type { PlacesAt } from './places.ts'
import type { ResponseRules } from './responses.ts'
import { upstreamPath } from './upstream-path.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    row?: Route
  }
  interface FastifyRequest {
    caller: Caller | undefined
    /** Names the caller to the service. */
    principalToken: string | undefined
  }
}

/**
 * Mounts the rows of the route table: steps 4 to 7 of D2, then the service that owns the row. Rows that are forwarded
 * in the same way share a mount.
 */
export function addOperations(app: FastifyInstance, deps: OperationDeps): void {
  app.decorateRequest('caller', undefined)
  app.decorateRequest('principalToken', undefined)
  const rows = Object.entries(deps.routes)
  const kinds = Object.groupBy(rows, ([, row]) => `${row.method} ${isEndless(row)} ${bodyOf(row)}`)
  for (const kind of Object.values(kinds))
    app.register(async (scope) =>
      addRows(scope, new Map(kind?.map((entry) => [urlOf(entry[1]), entry])), deps),
    )
}

type OperationDeps = GatewayDeps & {
  streams: OpenStreams
  placesAt: PlacesAt
  organizationExports: {
    /** Throws 429. */
    admit: (request: FastifyRequest, reply: FastifyReply) => void
    assemble: NonNullable<ResponseRules['assemble']>
  }
}

/** The path in the router's syntax. */
const urlOf = (row: Route) => routePath(row).replaceAll(/\{(\w+)\}/g, ':$1')

const bodyOf = (row: Route) => (row.upload ? 'stream' : (row.body ?? row.message) && 'bytes')

function addRows(
  scope: FastifyInstance,
  rows: ReadonlyMap<string, readonly [operationId: string, row: Route]>,
  deps: OperationDeps,
): void {
  const [[, first] = []] = rows.values()
  if (!first) return
  scope.addHook('onRoute', (route) => {
    const [operationId, row] = rows.get(route.url) ?? []
    if (operationId === undefined || !row) return
    route.config = { operationId, row, ...uploadConfig(row) }
    Object.assign(route, messageLimit(row))
    if (row.access === 'none') route.bodyLimit = MAX_OPEN_BODY_BYTES
    // Only a refresh token can be so long, and one of any length is a 401 (D12.1), up to the size of any body (D2).
    if (row.path.endsWith('/oauth/token'))
      route.config.tooLarge = ({ headers }) =>
        Number(headers['content-length'] ?? 0) > MAX_TOKEN_BYTES ? undefined : invalidRefreshToken()
  })
  scope.addHook('onRequest', (request, reply) => admit(rowOf(request), request, reply, deps))
  if (first.upload) streamBodies(scope)
  mount(scope, {
    method: first.method,
    urls: [...rows.keys()],
    upstreamOf: (request) => rowOf(request).upstream,
    originOf: (request) => deps.upstreams[rowOf(request).upstream],
    pathOf: upstreamPath,
    headersOf: (request) =>
      requestHeaders(request, {
        principalToken: request.principalToken,
        passed: passedTo(rowOf(request)),
        // Passes client credentials in HTTP Basic, but no bearer token.
        authorization: rowOf(request).access === 'none' ? request.headers.authorization : undefined,
      }),
    body: bodyOf(first),
    timeoutMs:
      deps.timeoutsMs[first.method === 'GET' ? 'read' : 'write'] + (isEndless(first) ? LONGEST_WAIT_MS : 0),
    keepAliveMs: deps.timeoutsMs.keepAlive,
    stallMsOf: (request) => (hasFile(rowOf(request)) ? (deps.timeoutsMs.stall ?? STALL_MS) : undefined),
    guard: isEndless(first) ? deps.streams.guard : undefined,
    ...(first.method === 'GET' && { assemble: deps.organizationExports.assemble }),
    isData: !isEndless(first), // the service sets the headers of an endless response
    failures: deps.metrics.failures,
    placesAt: deps.placesAt,
  })
}

const passedTo = (row: Route) => {
  if (row.message) return passedWithMessages
  return sendsOn(row) ? passedOnTheWay : passedToServices
}

function rowOf({ routeOptions }: FastifyRequest): Route {
  const { row } = routeOptions.config
  if (!row) throw new Error(`${routeOptions.url} is not a row of the route table`)
  return row
}

/** How long a request may wait for its first event. */
const LONGEST_WAIT_MS = MOST_WAIT_SECONDS * 1_000

const hasFile = ({ upload, success }: Route) => Boolean(upload ?? success.download)

/** A connection on which a file moves in neither direction for this long ends. */
const STALL_MS = 120_000

type Params = Record<string, string>

async function admit(row: Route, request: FastifyRequest, reply: FastifyReply, deps: OperationDeps) {
  // The router accepts an empty parameter, but `/assets/` is not an asset.
  if (Object.values(request.params as Params).includes('')) throw unknownRoute(withoutQuery(request.url))
  if (row.access !== 'none') await admitCaller(row, request, reply, deps)
  checkMediaType(row, request)
  checkAnnouncedSize(row, request)
}

async function admitCaller(row: Route, request: FastifyRequest, reply: FastifyReply, deps: OperationDeps) {
  const caller = await (row.forDevices
    ? deps.authenticateDevice(request)
    : deps.authenticate(readBearer(request.headers)))
  request.caller = caller
  request.principal = caller.principal
  if (row.access === 'key' && caller.principal.kind !== 'key') throw invalidToken() // D9.8
  const limit = limitPerMinute(row, caller)
  const isAnnounced = row.method === 'GET' && caller.principal.kind === 'key'
  if (limit !== undefined)
    await charge(deps.limiter, caller, limit, (decision) => {
      if (isAnnounced) reply.headers(rateLimitHeaders(decision))
    })
  checkAccess(row, caller.principal, typesIn(request.url))
  deps.organizationExports.admit(request, reply)
  request.principalToken = await caller.tokenFor(row.upstream)
}

/** The values of `type`, read as the service reads them. */
const typesIn = (url: string): string[] => parsePairs(url.split('?').slice(1).join('?'))?.['type'] ?? []

/** Every request of a user counts (D12.10), and a key's requests to `counted` rows. Undefined: no limit. */
const limitPerMinute = (row: Route, caller: Caller): number | undefined =>
  row.counted || caller.principal.kind === 'session' ? limitOf(caller) : undefined

const rateLimitHeaders = ({ limit, remaining, resetAt }: Decision) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAt),
  'ratelimit-policy': `${limit};w=60`, // D17.5
})

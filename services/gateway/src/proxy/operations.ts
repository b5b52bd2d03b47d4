import { isEndless, type Route } from '@whereabouts/contracts/route'
import { routePath } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/app-error'
import { withoutQuery } from '@whereabouts/service-kit/error-handler'
import { invalidToken, unknownRoute } from '@whereabouts/service-kit/errors'
import { addRoute, checkMediaType } from '@whereabouts/service-kit/serve'
import { checkAnnouncedSize, uploadConfig } from '@whereabouts/service-kit/upload'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayDeps } from '../app.ts'
import { checkAccess } from '../auth/access.ts'
import type { Caller } from '../auth/authenticator.ts'
import { readBearer } from '../auth/bearer.ts'
import { DEFAULT_LIMIT_PER_MINUTE, USER_LIMIT_PER_MINUTE, type Decision } from '../limits/bucket.ts'
import { requestHeaders } from './headers.ts'
import type { OpenStreams } from './open-streams.ts'
import { forward } from './proxy.ts'
import { upstreamPath } from './upstream-path.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Of the caller, for the service that is asked. */
    principalToken: string | undefined
  }
}

/** Registers rows of the route table: steps 4 to 7 of D2, then the service that owns it. */
export function addOperations(
  app: FastifyInstance,
  deps: OperationDeps,
  isWanted: (row: Route) => boolean,
): void {
  app.decorateRequest('caller', undefined)
  app.decorateRequest('principalToken', undefined)
  for (const [operationId, row] of Object.entries(deps.routes)) {
    if (!isWanted(row)) continue
    addRoute(app, row, {
      method: row.method,
      url: routePath(row).replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationId, ...uploadConfig(row) },
      onRequest: async (request, reply) => admit(row, request, reply, deps),
      handler: async (request, reply) => pass(row, request, reply, deps),
    })
  }
}

type Params = Record<string, string>
type OperationDeps = GatewayDeps & { streams: OpenStreams }

async function admit(row: Route, request: FastifyRequest, reply: FastifyReply, deps: GatewayDeps) {
  // The router lets an empty parameter through; `/assets/` is no asset.
  if (Object.values(request.params as Params).includes('')) throw unknownRoute(withoutQuery(request.url))
  if (row.access !== 'none') await admitCaller(row, request, reply, deps)
  checkMediaType(row, request)
  checkAnnouncedSize(row, request)
}

async function admitCaller(row: Route, request: FastifyRequest, reply: FastifyReply, deps: GatewayDeps) {
  const caller = await deps.authenticate(readBearer(request.headers))
  request.caller = caller
  request.principal = caller.principal
  if (row.access === 'key' && caller.principal.kind !== 'key') throw invalidToken() // D9.8
  const limit = limitPerMinute(row, caller)
  if (limit !== undefined) {
    const decision = await deps.limiter.take(caller.bucket, limit)
    if (row.method === 'GET' && caller.principal.kind === 'key') reply.headers(rateLimitHeaders(decision))
    if (!decision.taken) throw rateLimited(decision.retryAfterSeconds)
  }
  checkAccess(row.access, caller.principal)
  request.principalToken = await caller.tokenFor(row.upstream)
}

/** Every request of a user counts (D12.10), of a key those of the rows that say so; undefined is none. */
function limitPerMinute(row: Route, { principal, ownLimitPerMinute }: Caller): number | undefined {
  if (principal.kind === 'session') return USER_LIMIT_PER_MINUTE
  return row.counted ? (ownLimitPerMinute ?? DEFAULT_LIMIT_PER_MINUTE) : undefined
}

const rateLimitHeaders = ({ limit, remaining, resetAt }: Decision) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAt),
})

const rateLimited = (seconds: number) =>
  new AppError('rate_limited', `Retry after ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
  })

/** A connection on which a file moves in neither direction for so long is ended. */
const STALL_MS = 120_000

function pass(row: Route, request: FastifyRequest, reply: FastifyReply, deps: OperationDeps): FastifyReply {
  const headers = requestHeaders(request, {
    principalToken: request.principalToken,
    // Client credentials may come by HTTP Basic; a bearer token ends here.
    authorization: row.access === 'none' ? request.headers.authorization : undefined,
  })
  if (row.upload ?? row.success.download) request.raw.setTimeout(deps.timeoutsMs.stall ?? STALL_MS)
  return forward(reply, {
    upstream: row.upstream,
    origin: deps.upstreams[row.upstream],
    path: upstreamPath(routePath(row), request.params as Params),
    headers,
    body: row.body ? (request.body as Buffer | undefined) : undefined,
    isUpload: row.upload !== undefined,
    isData: !isEndless(row), // a stream may not be transformed either, which its service says
    timeoutMs: isEndless(row) ? undefined : deps.timeoutsMs[row.method === 'GET' ? 'read' : 'write'],
    guard: isEndless(row) ? (stream) => deps.streams.guard(request, reply, stream) : undefined,
    failures: deps.metrics.failures,
  })
}

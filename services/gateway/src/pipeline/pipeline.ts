import { AppError } from '@whereabouts/service-kit/app-error'
import { errorEnvelope, toAppError, withoutQuery } from '@whereabouts/service-kit/error-handler'
import { unknownRoute } from '@whereabouts/service-kit/errors'
import { REQUEST_ID_HEADER, requestIdOf } from '@whereabouts/service-kit/request-id'
import type { EdgeOptions } from '@whereabouts/service-kit/server'
import type { FastifyInstance } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { allowedMethods, isApiPath, isOwnPath } from './allowed-methods.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { REFUSAL, webFilter } from './web-filter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route that takes what no other one does; whether it may is decided here. */
    catchAll?: boolean
  }
}

/**
 * Steps 1 to 3 of D2, in their order, before any route is looked into: CORS headers on whatever follows, the web
 * filter, preflights, then 404 and 405. Nothing here reads a body.
 */
export function addPipeline(app: FastifyInstance, refusedAgents: readonly string[]): void {
  const isRefused = webFilter(refusedAgents)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(corsHeaders)
    if (isRefused(request.headers['user-agent']))
      return reply.status(403).type('text/plain; charset=utf-8').send(REFUSAL)
    const path = withoutQuery(request.url)
    if (request.method === 'OPTIONS' && isApiPath(path))
      return reply.status(204).headers(preflightHeaders).send()
    if (request.is404 || request.routeOptions.config.catchAll === true) refuseUnmatched(request.method, path)
    return undefined
  })
}

/** Throws unless the console may have it: only that is matched by the catch-all and yet legitimate. */
function refuseUnmatched(method: string, path: string): void {
  const allowed = allowedMethods(path)
  // An absolute URL or `*` in the request line, and dot segments, are no address of anything here.
  if (allowed.length === 0 || !path.startsWith('/') || hasDotSegment(path)) throw unknownRoute(path)
  if (!allowed.includes(method)) throw methodNotAllowed(allowed)
  if (isOwnPath(path)) throw unknownRoute(path)
}

const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:$|[/\\])/i
const hasDotSegment = (path: string) => DOT_SEGMENT.test(path.replaceAll(/%2f|%5c/gi, '/'))

const methodNotAllowed = (allowed: readonly string[]) =>
  new AppError('method_not_allowed', `Allowed methods: ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })

/** What goes wrong before Fastify has a route: the hooks above do not run, the answer must look the same. */
export const protocolErrors = {
  frameworkErrors: (error, request, reply) => {
    const known = toAppError(error)
    return reply
      .status(known.status)
      .headers({ ...corsHeaders, ...known.headers, [REQUEST_ID_HEADER]: request.id })
      .header('content-type', 'application/json')
      .send(errorEnvelope(known, request.url, request.id))
  },
  clientErrorHandler: (_error, socket) => {
    // Node could not parse the request: there is no request to take an id or a path from.
    if (!socket.writable || socket.destroyed) return
    const id = requestIdOf({})
    const body = JSON.stringify(
      errorEnvelope(new AppError('bad_request', 'The request is malformed'), '/', id),
    )
    const headers = {
      ...corsHeaders,
      [REQUEST_ID_HEADER]: id,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 400 ${STATUS_CODES[400]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  },
} satisfies EdgeOptions

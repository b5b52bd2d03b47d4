import { AppError } from '@whereabouts/service-kit/errors/app-error'
import {
  errorEnvelope,
  REQUEST_PATH_HEADER,
  toAppError,
  withoutQuery,
} from '@whereabouts/service-kit/http/error-handler'
import { unknownRoute } from '@whereabouts/service-kit/errors/errors'
import { newRequestId, REQUEST_ID_HEADER } from '@whereabouts/service-kit/http/request-id'
import type { EdgeOptions } from '@whereabouts/service-kit/http/server'
import { helpLink } from '@whereabouts/contracts/errors'
import type { RouteTable } from '@whereabouts/contracts/route'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  allowedMethodsOf,
  isApiPath,
  isFilteredPath,
  isOwnPath,
  literalPaths,
  type AllowedMethods,
} from './allowed-methods.ts'
import { preflightHeaders } from './cors.ts'
import type { EdgeHeaders } from './edge-headers.ts'
import type { Legacy } from './legacy.ts'
import { REFUSAL, REFUSAL_HEADERS, webFilter } from './web-filter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route for all paths that no other route matches. */
    catchAll?: boolean
    /** The web filter lets every client pass. */
    servesAll?: boolean
  }
}

type Options = {
  refusedAgents: readonly string[]
  routes: RouteTable
  legacy: Legacy
  headersOf: EdgeHeaders
}

/**
 * Steps 1 to 3 of D2, in order, before any route: headers of every response, the web filter, preflights, withdrawn
 * paths, 404 and 405. Reads no body.
 */
export function addPipeline(
  app: FastifyInstance,
  { refusedAgents, routes, legacy, headersOf }: Options,
): void {
  const isRefused = webFilter(refusedAgents)
  const allowedMethods = allowedMethodsOf(routes)
  const literal = literalPaths(routes)
  app.addHook('onRequest', async (request, reply) => {
    delete request.headers[REQUEST_PATH_HEADER] // only the gateway sets it
    const path = withoutQuery(request.url)
    reply.headers(headersOf(path)).headers(legacy.headersOf(path))
    if (isWithoutHost(request)) throw malformed()
    if (isFiltered(request, path) && isRefused(request.headers['user-agent']))
      return reply.status(403).headers(REFUSAL_HEADERS).send(REFUSAL)
    if (request.method === 'OPTIONS' && isApiPath(path))
      return reply.status(204).headers(preflightHeaders(path)).send()
    const gone = legacy.withdrawn(path)
    if (gone) throw gone
    if (request.is404 || request.routeOptions.config.catchAll === true)
      refuseUnmatched(allowedMethods, request.method, path)
    else if (literal.has(path)) refuseMethod(allowedMethods(path), request.method)
    return undefined
  })
}

/**
 * The web filter is for clients of the API. Nobody can set the `User-Agent` of most devices, and screens, files and the
 * health of the API answer every client (D12.15): an uptime check or a library that fetches the signing keys sends its own.
 */
function isFiltered({ routeOptions: { config } }: FastifyRequest, path: string): boolean {
  if (config.row?.forDevices || config.row?.bySignature || config.servesAll) return false
  return config.catchAll !== true || isFilteredPath(path)
}

/** HTTP/1.1 requires the header (RFC 9112, 3.2). */
const isWithoutHost = ({ headers, raw }: FastifyRequest) =>
  headers.host === undefined && raw.httpVersion === '1.1'

const malformed = () => new AppError('bad_request', 'The request is malformed')

/** Throws unless the path belongs to the console. */
function refuseUnmatched(allowedMethods: AllowedMethods, method: string, path: string): void {
  const allowed = allowedMethods(path)
  if (allowed.length === 0 || namesAnotherHost(path) || hasDots(path)) throw unknownRoute(path)
  refuseMethod(allowed, method)
  if (isOwnPath(path)) throw unknownRoute(path)
}

function refuseMethod(allowed: readonly string[], method: string): void {
  if (!allowed.includes(method)) throw methodNotAllowed(allowed)
}

/** `*`, `http://host/` and `//host/`, which URL parsers read as an address elsewhere. */
const namesAnotherHost = (path: string) => !/^\/(?![/\\])/.test(path)

/** Dot segments, and two dots at a slash, which the proxy plugin takes for one. */
const DOTS = /(?:^|\/)(?:\.|%2e)(?:$|\/)|\/(?:\.|%2e){2}|(?:\.|%2e){2}\//i
const hasDots = (path: string) => DOTS.test(path.replaceAll(/%2f|%5c|\\/gi, '/'))

const methodNotAllowed = (allowed: readonly string[]) =>
  new AppError('method_not_allowed', `Allowed methods: ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })

/**
 * Nothing arrived on the connection before its time was up. A server may close such a connection (RFC 9112, 9.5), and a
 * client then repeats its request on another one. Browsers open connections in advance: they would read a 400 as the
 * answer to the request that they send at that moment.
 */
const isIdle = ({ code }: NodeJS.ErrnoException, { bytesRead }: Socket) =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0

/** Failures before Fastify has a route. The hooks above do not run, and the response must look the same. */
export const protocolErrors = (legacy: Legacy, headersOf: EdgeHeaders) =>
  ({
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const path = withoutQuery(request.url)
      const known = legacy.withdrawn(path) ?? toAppError(error)
      return reply
        .status(known.status)
        .headers({
          ...headersOf(path),
          ...legacy.headersOf(path),
          ...helpLink(known.type),
          ...known.headers,
          [REQUEST_ID_HEADER]: request.id,
        })
        .header('content-type', 'application/json')
        .send(errorEnvelope(known, request.url, request.id))
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      if (isIdle(error, socket)) {
        socket.destroy()
        return
      }
      // Node could not parse the request, or its head is too large: there is no request to take an id or a path from.
      if (!socket.writable || socket.destroyed) return
      const id = newRequestId()
      const body = JSON.stringify(errorEnvelope(malformed(), '/', id))
      const headers = {
        ...headersOf(`${API_PREFIX}/`),
        ...helpLink('bad_request'),
        [REQUEST_ID_HEADER]: id,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        connection: 'close',
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      socket.end(`HTTP/1.1 400 ${STATUS_CODES[400]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    },
  }) satisfies EdgeOptions

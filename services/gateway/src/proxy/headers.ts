import { traceHeaders } from '@whereabouts/service-kit/observe/trace'
import { REQUEST_PATH_HEADER, withoutQuery } from '@whereabouts/service-kit/http/error-handler'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/http/request-id'
import type { FastifyRequest } from 'fastify'
import { REVALIDATED } from '../pipeline/edge-headers.ts'
import type { IncomingHttpHeaders } from 'node:http'

/** The only headers of a client that services see. A list of headers to drop would miss the next one. */
const PASSED_ON = [
  'accept',
  'accept-language',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
  'user-agent',
] as const

/** Services compress their answers. */
export const passedToServices = ['accept-encoding'] as const
/** Messages of devices are unpacked by their service. */
export const passedWithMessages = [...passedToServices, 'content-encoding'] as const

/** The cookie of a sign-on proves that the browser which began it comes back. Other operations read none. */
export const passedOnTheWay = [...passedToServices, 'cookie'] as const

/** Headers that only the console gets: its pages are compressed, and it keeps sessions in a cookie. */
export const passedToConsole = {
  pages: ['accept-encoding'],
  sessions: ['cookie', 'origin', 'sec-fetch-site'],
} as const

/** Request ids are not validated. The gateway returns a longer one whole; services get only its beginning. */
const MAX_PASSED_ID = 1024

export const passedId = (id: string): string => id.slice(0, MAX_PASSED_ID)

type Extra = {
  principalToken?: string | undefined
  authorization?: string | undefined
  /** Headers of the client beyond the usual ones. */
  passed?: readonly string[]
}

/** Headers of the request to a service: those that may pass, and those in which the gateway names the caller. */
export function requestHeaders(request: FastifyRequest, extra: Extra): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of [...PASSED_ON, ...(extra.passed ?? [])]) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return {
    ...headers,
    ...headersOfOurs(request, extra.principalToken),
    ...(extra.authorization !== undefined && { authorization: extra.authorization }),
  }
}

/** The headers in which the gateway names the request and the caller. */
export function headersOfOurs(request: FastifyRequest, principalToken?: string): Record<string, string> {
  const requestId = passedId(request.id)
  return {
    ...(request.trace && traceHeaders({ ...request.trace, requestId })),
    [REQUEST_ID_HEADER]: requestId,
    [REQUEST_PATH_HEADER]: withoutQuery(request.url),
    'x-forwarded-for': request.ip,
    ...(principalToken !== undefined && { [PRINCIPAL_HEADER]: principalToken }),
  }
}

/** Not passed back: headers of one connection, headers that the gateway sets itself, and names of software. */
const DROPPED = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'server', 'x-powered-by', 'date', REQUEST_ID_HEADER, PRINCIPAL_HEADER,
]) // oxfmt-ignore
const OURS = /^(?:access-control-|x-ratelimit-|deprecation$|sunset$)/

/** Headers of a service's response for the client. `isData`: the gateway has set how long to keep it. */
export function responseHeaders(
  headers: IncomingHttpHeaders,
  isData = false,
): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !DROPPED.has(entry[0]) && !OURS.test(entry[0]),
  )
  const passed = Object.fromEntries(kept)
  if (!isData) return passed
  delete passed['cache-control']
  return 'etag' in passed ? { ...passed, 'cache-control': REVALIDATED } : passed
}

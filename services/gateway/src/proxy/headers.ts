import { traceHeaders } from '@whereabouts/service-kit/trace'
import { REQUEST_PATH_HEADER, withoutQuery } from '@whereabouts/service-kit/error-handler'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/request-id'
import type { FastifyRequest } from 'fastify'
import { REVALIDATED } from '../pipeline/edge-headers.ts'
import type { IncomingHttpHeaders } from 'node:http'

/** The only headers of a client that services see. A list of what to drop would miss the next clever one. */
const PASSED_ON = [
  'accept',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
] as const

/** Beside them to the console: its pages come compressed, and sessions are in a cookie that nobody else sees. */
export const passedToConsole = {
  pages: ['accept-encoding'],
  sessions: ['cookie', 'origin', 'sec-fetch-site'],
} as const

/** Ids are not validated; longer ones are echoed in whole, but services learn, log and keep their beginning only. */
const MAX_PASSED_ID = 1024

export const passedId = (id: string): string => id.slice(0, MAX_PASSED_ID)

type Extra = {
  principalToken?: string | undefined
  authorization?: string | undefined
  /** Headers of the client beyond the usual ones. */
  passed?: readonly string[]
}

/** Headers of the request to a service: what may pass, and what the gateway says of the caller. */
export function requestHeaders(request: FastifyRequest, extra: Extra): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of [...PASSED_ON, ...(extra.passed ?? [])]) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const requestId = passedId(request.id)
  return {
    ...headers,
    ...(request.trace && traceHeaders({ ...request.trace, requestId })),
    [REQUEST_ID_HEADER]: requestId,
    [REQUEST_PATH_HEADER]: withoutQuery(request.url),
    'x-forwarded-for': request.ip,
    ...(extra.principalToken !== undefined && { [PRINCIPAL_HEADER]: extra.principalToken }),
    ...(extra.authorization !== undefined && { authorization: extra.authorization }),
  }
}

/** Not passed back: what belongs to one connection, what the gateway says itself, and what names our software. */
const DROPPED = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'server', 'x-powered-by', 'date', REQUEST_ID_HEADER, PRINCIPAL_HEADER,
]) // prettier-ignore
const OURS = /^(?:access-control-|x-ratelimit-|deprecation$|sunset$)/

/** Headers of a service's answer that the client may see. `isData`: how long it may be kept was said before. */
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

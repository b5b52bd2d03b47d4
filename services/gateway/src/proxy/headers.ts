import { traceHeaders } from '@whereabouts/service-kit/trace'
import { REQUEST_PATH_HEADER, withoutQuery } from '@whereabouts/service-kit/error-handler'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/request-id'
import type { FastifyRequest } from 'fastify'
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
  return {
    ...headers,
    ...(request.trace && traceHeaders(request.trace)),
    [REQUEST_ID_HEADER]: request.id,
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

/** Headers of a service's answer that the client may see. */
export function responseHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !DROPPED.has(entry[0]) && !OURS.test(entry[0]),
  )
  return Object.fromEntries(kept)
}

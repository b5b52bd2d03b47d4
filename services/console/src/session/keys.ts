import { REQUEST_PATH_HEADER } from '@whereabouts/service-kit/http/error-handler'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/http/request-id'
import { traceHeaders } from '@whereabouts/service-kit/observe/trace'
import type { FastifyRequest } from 'fastify'
import { Agent } from 'undici'

export type KeysResponse = { status: number; headers: Record<string, string>; text: string }

/** Calls an operation of keys under `/api/v1/auth` that needs no token. */
export type CallKeys = (
  operation: string,
  body: unknown,
  request: FastifyRequest,
  more?: Record<string, string>,
) => Promise<KeysResponse>

/** Proves to keys that the browser has signed in before. The answer has the next one. */
export const DEVICE_HEADER = 'x-known-device'

/** Proves to keys that the browser has signed on. */
export const SIGN_ON_HEADER = 'x-sign-on'

/** Response headers that browsers need. */
const PASSED_HEADERS = ['content-type', 'link', 'retry-after', 'www-authenticate', DEVICE_HEADER]
const TIMEOUT_MS = 10_000
/** Shorter than the time that a stopping service still accepts requests. */
const KEEP_ALIVE_MS = 4_000

/** The client of keys. Passes on the address, request ID and path that the gateway sent. */
export function keysClient(url: string): { call: CallKeys; close: () => Promise<void> } {
  const agent = new Agent({
    connections: 32,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  return {
    async call(operation, body, request, more) {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'whereabouts-console',
        [REQUEST_ID_HEADER]: request.id,
        [REQUEST_PATH_HEADER]: String(request.headers[REQUEST_PATH_HEADER] ?? request.url),
        ...(request.trace && traceHeaders(request.trace)),
        ...(typeof request.headers['x-forwarded-for'] === 'string' && {
          'x-forwarded-for': request.headers['x-forwarded-for'],
        }),
        ...more,
      }
      try {
        const options = { method: 'POST', path: `/api/v1/auth/${operation}`, origin: url } as const
        const response = await agent.request({ ...options, headers, body: JSON.stringify(body) })
        const text = await response.body.text()
        const kept = PASSED_HEADERS.flatMap((name) => {
          const value = response.headers[name]
          return typeof value === 'string' ? [[name, value]] : []
        })
        return { status: response.statusCode, headers: Object.fromEntries(kept), text }
      } catch (error) {
        throw serviceUnavailable(error)
      }
    },
    close: () => agent.close(),
  }
}

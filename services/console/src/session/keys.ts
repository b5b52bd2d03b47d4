import { REQUEST_PATH_HEADER } from '@whereabouts/service-kit/error-handler'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/request-id'
import { traceHeaders } from '@whereabouts/service-kit/trace'
import type { FastifyRequest } from 'fastify'
import { Agent } from 'undici'

export type KeysAnswer = { status: number; headers: Record<string, string>; text: string }

/** Asks an operation of keys below `/api/v1/auth` that needs no token. */
export type AskKeys = (operation: string, body: unknown, request: FastifyRequest) => Promise<KeysAnswer>

/** Of its answers only what a browser has a use for. */
const PASSED_BACK = ['content-type', 'retry-after', 'www-authenticate']
const TIMEOUT_MS = 10_000
/** Less than the time for which a stopping service still takes requests. */
const KEEP_ALIVE_MS = 4_000

/** What keys learns of the person at the browser comes from the gateway: address, request id and path. */
export function keysClient(url: string): { ask: AskKeys; close: () => Promise<void> } {
  const agent = new Agent({
    connections: 32,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  return {
    async ask(operation, body, request) {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'whereabouts-console',
        [REQUEST_ID_HEADER]: request.id,
        [REQUEST_PATH_HEADER]: String(request.headers[REQUEST_PATH_HEADER] ?? request.url),
        ...(request.trace && traceHeaders(request.trace)),
        ...(typeof request.headers['x-forwarded-for'] === 'string' && {
          'x-forwarded-for': request.headers['x-forwarded-for'],
        }),
      }
      try {
        const options = { method: 'POST', path: `/api/v1/auth/${operation}`, origin: url } as const
        const answer = await agent.request({ ...options, headers, body: JSON.stringify(body) })
        const text = await answer.body.text()
        const kept = PASSED_BACK.flatMap((name) => {
          const value = answer.headers[name]
          return typeof value === 'string' ? [[name, value]] : []
        })
        return { status: answer.statusCode, headers: Object.fromEntries(kept), text }
      } catch (error) {
        throw serviceUnavailable(error)
      }
    },
    close: () => agent.close(),
  }
}

import type { components } from './api.d.ts'

export type ErrorBody = components['schemas']['Error']['error']

/** The request of an error. `url` is without its query, which may have what is not for a log. */
export type Call = { method: string; url: string; attempts: number }

/**
 * A request that did not succeed. `status` is undefined if there was no response (`ConnectionError`). `error` is undefined if the
 * body is not the envelope of the API. That is so for the 403 of a missing User-Agent, for what a proxy on the way answers, and
 * for a 200 that is not JSON; then the message has the beginning of the body.
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number | undefined
  readonly error: ErrorBody | undefined
  /** By which the operator finds the request. */
  readonly requestId: string | undefined
  /** Seconds after which the API allows the next attempt, if it said so. */
  readonly retryAfter: number | undefined
  readonly method: string | undefined
  readonly url: string | undefined
  /** How often the request was sent. */
  readonly attempts: number | undefined

  constructor(
    status: number | undefined,
    error: ErrorBody | undefined,
    text = '',
    { call, headers, cause }: { call?: Call | undefined; headers?: Headers; cause?: unknown } = {},
  ) {
    const requestId = error?.request_id ?? headers?.get('x-request-id') ?? undefined
    super(messageOf(status, error, text, requestId, call), cause === undefined ? {} : { cause })
    this.status = status
    this.error = error
    this.requestId = requestId
    this.retryAfter = headers && retryAfterOf(headers)
    this.method = call?.method
    this.url = call?.url
    this.attempts = call?.attempts
  }
}

/** No response, or not all of it: refused, broken off, or later than the timeout. `cause` is the error of the platform. */
export class ConnectionError extends ApiError {
  override readonly name = 'ConnectionError'
}

function messageOf(
  status: number | undefined,
  error: ErrorBody | undefined,
  text: string,
  requestId: string | undefined,
  call: Call | undefined,
): string {
  if (error) return `${error.type}: ${error.detail} (request ${error.request_id})`
  const where = call ? ` (${call.method} ${call.url}, sent ${call.attempts} times)`.replace(', sent 1 times', '') : ''
  const shown = text.trim().slice(0, 200)
  if (status === undefined) return `${shown}${where}`
  return `HTTP status ${status}${shown && `: ${shown}`}${requestId === undefined ? '' : ` (request ${requestId})`}${where}`
} // oxfmt-ignore

/** In seconds, from a number or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const ms = /[a-z]/i.test(text) ? Date.parse(text) - Date.now() : Number.NaN
  return Number.isFinite(ms) ? Math.max(0, ms / 1_000) : undefined
}

const calls = new WeakMap<Response, Call>()

/** Remembers how a response was obtained, for the error that it may become. */
export function remember(response: Response, call: Call): Response {
  calls.set(response, call)
  return response
}

/** The error of a response that is not 2xx. `body`: parsed, or its text. */
export function errorOf(response: Response, body: unknown): ApiError {
  const more = { call: calls.get(response), headers: response.headers }
  if (typeof body === 'string') return new ApiError(response.status, undefined, body, more)
  const envelope = body as Partial<components['schemas']['Error']> | undefined
  return new ApiError(response.status, envelope?.error, '', more)
}

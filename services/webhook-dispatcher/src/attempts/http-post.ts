import { request, type Dispatcher } from 'undici'
import { TargetRefused } from './address-guard.ts'

/** How one request ended. `error` is undefined for 2xx only, and never says more than a customer may read. */
export type PostResult = { statusCode: number | undefined; error: string | undefined; latencyMs: number }

export type Post = (
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
  signal: AbortSignal,
) => Promise<PostResult>

/** Of an answer's body, this much is read so that the connection can be used again; a longer one is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * A POST through `dispatcher`, without redirects. `timeoutMs` is for all of it: lookup, connection, answer and its
 * body. Resolves for every failure of the other side; rejects only when `signal` aborts.
 */
export function createPost(dispatcher: Dispatcher, timeoutMs: number): Post {
  return async (url, headers, body, signal) => {
    const startedAt = performance.now()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      const answer = await send(url, { dispatcher, headers, body, signal: deadline.signal })
      return { ...answer, latencyMs: since(startedAt) }
    } catch (error) {
      if (signal.aborted) throw error
      const text = deadline.signal.aborted
        ? `no complete answer within ${timeoutMs / 1000} s`
        : failureText(error)
      return { statusCode: undefined, error: text, latencyMs: since(startedAt) }
    } finally {
      deadline.clear()
    }
  }
}

const since = (startedAt: number) => Math.round(performance.now() - startedAt)

/** Not AbortSignal.any: `outer` lives as long as the process, and nothing of a request should stay with it. */
function startDeadline(timeoutMs: number, outer: AbortSignal): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort)
  const clear = () => {
    clearTimeout(timer)
    outer.removeEventListener('abort', abort)
  }
  return { signal: controller.signal, clear }
}

type SendOptions = {
  dispatcher: Dispatcher
  headers: Record<string, string>
  body: Uint8Array
  signal: AbortSignal
}

async function send(url: string, options: SendOptions): Promise<Omit<PostResult, 'latencyMs'>> {
  const answer = await request(url, { method: 'POST', ...options })
  const { statusCode } = answer
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += Buffer.byteLength(chunk)
    if (bytes > MAX_ANSWER_BYTES) break // leaving the loop destroys the body and its connection
  }
  return { statusCode, error: statusError(statusCode) }
}

function statusError(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`
  return `answered ${statusCode}`
}

const TEXTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before an answer',
  EPIPE: 'connection closed before an answer',
  UND_ERR_SOCKET: 'connection closed before an answer',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the host is not reachable',
}

/** By code, never by message: messages quote addresses of networks the customer should learn nothing about. */
function failureText(error: unknown): string {
  const causes = chainOf(error)
  if (causes.some((cause) => cause instanceof TargetRefused)) return new TargetRefused().message
  const code = causes
    .flatMap((cause) => ('code' in cause ? [cause.code] : []))
    .find((c) => typeof c === 'string')
  if (code === undefined) return 'request failed'
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) return `certificate not trusted (${code})`
  return TEXTS[code] ?? `request failed (${code})`
}

/** The error, its causes and, for several addresses tried at once, the errors of each. */
function chainOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 4) return []
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return [error, ...[error.cause, ...inner].flatMap((cause) => chainOf(cause, depth + 1))]
}

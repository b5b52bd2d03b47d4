import { ApiError, ConnectionError, errorOf, remember, retryAfterOf, type Call } from './errors.ts'
import { Gate, rateOf, type Place } from './gate.ts'

type Fetch = (request: Request) => Promise<Response>

export type RetryOptions = {
  /** Of one request, the first included. A 429 is none: see `maxWaitMs`. Default 5. */
  attempts?: number
  /** Of one attempt, in milliseconds. Default 30 000. */
  timeoutMs?: number
  /** How long a request may wait for its turn under the rate limit, in milliseconds. Default 300 000. */
  maxWaitMs?: number
  /** For tests. Rejects if `signal` aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** For tests. In milliseconds. */
  now?: () => number
}

/** Where the tokens of requests come from. */
type Tokens = { (): Promise<string>; replace(refused: string): Promise<string> }

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** If the API asks for a longer wait after a 5xx, the caller decides. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** Between requests that no rate counts, after one was refused because the service is full. */
const UNCOUNTED_MS = 50

const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
/** A token more does no harm. */
const REPEATABLE_PATHS = /\/oauth\/token$/
/** POSTs that take a name, so that a repeat gets the answer of the first and changes nothing. */
const NAMED_PATHS =
  /(?<!\/legacy)\/api\/v1\/(?:(?:assets|locations)(?:\/batch|\/\d+\/tags)?|inventory\/save)$/
const NAME = 'idempotency-key'
/** Files of exports. They are not JSON. */
const FILES = /^application\/(?:gzip|vnd\.apache\.parquet)/
/** What the API answers to be stored or read piece by piece. */
const STREAMS = /^(?:text\/csv|text\/event-stream|application\/octet-stream|image\/)/

/**
 * `fetch` with turns, tokens, a timeout and retries. 429 means that the request has not begun, so it takes its turn again, for as
 * long as `maxWaitMs` allows; the others of its kind wait with it (`Gate`). A token is taken at its turn, and replaced once
 * after a 401. After a 5xx, a timeout or a broken connection, only requests are repeated that do the same again: a PATCH may have
 * succeeded. A POST that takes an `Idempotency-Key` has one, which all its attempts share. Pauses double from 1 s to 30 s, with jitter. Resolves with the last response, whose body has arrived unless it is
 * a stream. Rejects with `ConnectionError`, or with `ApiError` for a 200 that is not JSON and for a turn that comes too late.
 */
export function retrying(
  fetch: Fetch,
  {
    attempts = 5,
    timeoutMs = 30_000,
    maxWaitMs = 300_000,
    wait = sleep,
    now = () => performance.now(),
  }: RetryOptions = {},
  tokens?: Tokens,
): Fetch {
  const gates = { counted: new Gate(), uncounted: new Gate(UNCOUNTED_MS) }

  async function turn(gate: Gate, place: Place, call: Call, signal: AbortSignal): Promise<void> {
    for (let pause = gate.pause(place, now()); pause > 0; pause = gate.pause(place, now())) {
      if (pause === Number.POSITIVE_INFINITY) throw tooLate(gate.closedFor(now()), maxWaitMs, call)
      await wait(pause, signal)
    }
  }

  async function sent(request: Request, call: Call, token?: string): Promise<Response | ConnectionError> {
    call.attempts += 1
    const again = new Request(request.clone(), {
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (token !== undefined) again.headers.set('authorization', `Bearer ${token}`)
    let status: number | undefined
    try {
      const response = await fetch(again)
      status = response.status
      return await arrived(response)
    } catch (cause) {
      if (request.signal.aborted) throw cause
      return new ConnectionError(status, undefined, causesOf(cause), { call, cause })
    }
  }

  return async (given) => {
    const request = named(given)
    const gate = gates[isCounted(request) ? 'counted' : 'uncounted']
    const call = { method: request.method, url: request.url.replace(/[?#].*/, ''), attempts: 0 }
    const place = gate.join(now() + maxWaitMs)
    let isRenewed = false
    try {
      for (let attempt = 1; ; gate.again(place)) {
        await turn(gate, place, call, request.signal)
        const token = await tokens?.()
        const result = await sent(request, call, token)
        if (result instanceof Response) remember(result, call)
        if (result instanceof Response && result.status === 429) {
          gate.refused(place, now(), (retryAfterOf(result.headers) ?? 1) * 1_000)
          if (now() + gate.closedFor(now()) > place.giveUpAt) return result
          continue
        }
        gate.answered(place, now(), result instanceof Response ? rateOf(result.headers) : undefined)
        if (tokens && token !== undefined && result.status === 401 && !isRenewed) {
          isRenewed = true
          await tokens.replace(token)
          continue
        }
        const pause = attempt < attempts ? pauseBefore(request, result, attempt) : undefined
        if (pause === undefined) return final(result)
        attempt += 1
        await wait(pause, request.signal)
      }
    } finally {
      gate.leave(place)
    }
  }
}

/** With a name, if the API takes one and the caller has given none. */
function named(request: Request): Request {
  const isNamed = request.headers.has(NAME) || request.method !== 'POST'
  // Browsers lack `randomUUID` on pages that are not secure.
  if (isNamed || !('randomUUID' in crypto) || !NAMED_PATHS.test(new URL(request.url).pathname)) return request
  const headers = new Headers(request.headers)
  headers.set(NAME, crypto.randomUUID())
  return new Request(request, { headers })
}

/** As D9.9 says. What is not counted never waits for what is. */
function isCounted({ method, url }: Request): boolean {
  const path = new URL(url).pathname
  if (method === 'GET' || method === 'HEAD') return !/\/(?:orgs\/me|events)$/.test(path)
  if (method === 'PATCH') return true
  return !/\/(?:assets|locations)(?:\/|$)|\/(?:oauth\/token|inventory\/save)$/.test(path)
}

/** The response with its body, unless that is a stream: so a body that breaks off is a broken connection. */
async function arrived(response: Response): Promise<Response> {
  if (response.body === null || STREAMS.test(response.headers.get('content-type') ?? '')) return response
  const { status, statusText, headers } = response
  return new Response(await response.arrayBuffer(), { status, statusText, headers })
}

/** Throws if the result is none for the caller. */
async function final(result: Response | ConnectionError): Promise<Response> {
  if (result instanceof ConnectionError) throw result
  const type = result.headers.get('content-type') ?? ''
  if (!result.ok || result.body === null || STREAMS.test(type) || FILES.test(type)) return result
  const text = await result.clone().text()
  if (text !== '' && !isJson(text)) throw errorOf(result, text)
  return result
} // oxfmt-ignore

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function tooLate(closedMs: number, maxWaitMs: number, call: Call): ApiError {
  const [next, most] = [closedMs, maxWaitMs].map((ms) => Math.ceil(ms / 1_000))
  const headers = new Headers({ 'retry-after': String(next) })
  const text = `no turn under the rate limit within ${most} s of waiting. The next one is in ${next} s`
  return new ApiError(429, undefined, text, { call, headers })
}

/** The message of an error and of what caused it: that of fetch alone says nothing. */
function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${causesOf(error.cause)}` : error.message
}

/** In milliseconds. Undefined if the result is final. */
function pauseBefore(
  { method, url, headers }: Request,
  result: Response | ConnectionError,
  attempt: number,
): number | undefined {
  const isNamed = headers.has(NAME)
  if (!isNamed && !REPEATABLE.has(method) && !REPEATABLE_PATHS.test(new URL(url).pathname)) return undefined
  // The attempt before is still running, although its connection broke.
  const isRunning =
    isNamed && result instanceof Response && result.status === 409 && result.headers.has('retry-after')
  if (result instanceof Response && result.status < 500 && !isRunning) return undefined
  const seconds = result instanceof Response ? retryAfterOf(result.headers) : undefined
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  const asked = seconds === undefined ? backoff : seconds * 1_000
  return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked
}

/** Rejects with the reason of `signal` if that aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

type Fetch = (request: Request) => Promise<Response>

export type RetryOptions = {
  /** Of one request, the first included. Default 5. */
  attempts?: number
  /** Of one attempt, in milliseconds. Default 30 000. */
  timeoutMs?: number
  /** For tests. Rejects if `signal` aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** If the API asks for a longer wait, the caller decides. */
const LONGEST_RETRY_AFTER_MS = 60_000

const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
/** POSTs that do the same again, or nothing. */
const REPEATABLE_PATHS = /\/(?:oauth\/token|inventory\/save)$/

/**
 * `fetch` with a timeout and retries. 429 means that the request has not begun, so it is always repeated, after `Retry-After`.
 * After a 5xx, a timeout or a broken connection, only requests are repeated that do the same again: a POST or PATCH may have
 * succeeded. Pauses double from 1 s to 30 s, with jitter. Resolves with the last response, rejects with the last error.
 */
export function retrying(
  fetch: Fetch,
  { attempts = 5, timeoutMs = 30_000, wait = sleep }: RetryOptions = {},
): Fetch {
  return async (request) => {
    const isRepeatable =
      REPEATABLE.has(request.method) || REPEATABLE_PATHS.test(new URL(request.url).pathname)
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === attempts
      const backoff =
        Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
        const response = await fetch(new Request(isLast ? request : request.clone(), { signal }))
        const pause = response.ok ? undefined : pauseBefore(response, isRepeatable, backoff)
        if (isLast || pause === undefined) return response
        await response.body?.cancel()
        await wait(pause, request.signal)
      } catch (error) {
        if (isLast || !isRepeatable || request.signal.aborted) throw error
        await wait(backoff, request.signal)
      }
    }
  }
}

/** In milliseconds. Undefined if the response is final. */
function pauseBefore(
  { status, headers }: Response,
  isRepeatable: boolean,
  backoff: number,
): number | undefined {
  if (status !== 429 && !(isRepeatable && status >= 500)) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const asked = Number.isFinite(seconds) ? seconds * 1_000 : backoff
  return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
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

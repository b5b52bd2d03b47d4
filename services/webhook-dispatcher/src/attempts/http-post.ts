import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { onAbort } from '../lanes/on-abort.ts'
import { failureText } from './failure-text.ts'
import type { TargetAgents } from './target-agents.ts'

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

const MAX_HEADER_BYTES = 16 * 1024

/**
 * A POST without redirects. `timeoutMs` is for all of it: lookup, connection, sending, answer and its body. Resolves
 * for every failure of the other side; rejects only when `signal` aborts.
 */
export function createPost(agents: TargetAgents, timeoutMs: number): Post {
  return async (url, headers, body, signal) => {
    const startedAt = performance.now()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      const statusCode = await send(new URL(url), agents, { headers, signal: deadline.signal }, body)
      return { statusCode, error: statusError(statusCode), latencyMs: since(startedAt) }
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
  const takeBack = onAbort(outer, abort)
  const clear = () => {
    clearTimeout(timer)
    takeBack()
  }
  return { signal: controller.signal, clear }
}

/**
 * Sends and reads the answer to its end. Node's own client and not undici, which takes an answer that begins with
 * `100 Continue` for a broken one; interim answers are part of HTTP, whoever asked for them.
 */
function send(
  url: URL,
  agents: TargetAgents,
  options: RequestOptions & { signal: AbortSignal },
  body: Uint8Array,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const agent = agents.agentFor(url)
    const begin = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = begin(url, { ...options, agent, method: 'POST', maxHeaderSize: MAX_HEADER_BYTES })
    request.on('error', reject) // not once: a connection that breaks may say so twice
    request.once('response', (answer) => {
      request.off('close', closed)
      readToEnd(answer).then(resolve, reject)
    })
    request.once('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    // A request may also end without a word of either; who waits for it holds a slot.
    const closed = () => reject(new ClosedEarly())
    request.once('close', closed)
    options.signal.addEventListener('abort', closed, { once: true })
    // Both sides at once: who answers early is heard, and who never reads the request runs into the deadline.
    request.end(body)
  })
}

class ClosedEarly extends Error {
  readonly code = 'ECONNRESET'
}

/** The status, once the answer is complete or longer than anyone needs. Rejects when it breaks off. */
async function readToEnd(answer: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_ANSWER_BYTES) break // leaving the loop destroys the answer and its connection
  }
  return answer.statusCode ?? 0
}

function statusError(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`
  return `answered ${statusCode}`
}

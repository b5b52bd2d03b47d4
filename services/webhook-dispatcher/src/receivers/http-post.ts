import { exchange, ResponseTimeout } from './exchange.ts'
import { failureText } from './failure-text.ts'
import type { TargetAgents } from './target-agents.ts'

/** The result of a request. `error` is undefined only for a 2xx. Customers can read it. */
export type PostResult = { statusCode: number | undefined; error: string | undefined; latencyMs: number }

export type Post = (
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
  signal: AbortSignal,
) => Promise<PostResult>

/**
 * A POST that follows no redirect. `timeoutMs` is for everything: lookup, connection, request, response and its body.
 * Resolves for every failure of the other side. Rejects only if `signal` aborts.
 */
export function createPost(agents: TargetAgents, timeoutMs: number): Post {
  return async (address, headers, body, signal) => {
    const startedAt = performance.now()
    try {
      const url = new URL(address)
      const statusCode = await exchange(agents.agentFor(url), url, { headers, body, timeoutMs, signal })
      return { statusCode, error: statusError(statusCode), latencyMs: since(startedAt) }
    } catch (error) {
      if (signal.aborted) throw error
      const text =
        error instanceof ResponseTimeout
          ? `no complete answer within ${timeoutMs / 1000} s`
          : failureText(error)
      return { statusCode: undefined, error: text, latencyMs: since(startedAt) }
    }
  }
}

const since = (startedAt: number) => Math.round(performance.now() - startedAt)

function statusError(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`
  return `answered ${statusCode}`
}

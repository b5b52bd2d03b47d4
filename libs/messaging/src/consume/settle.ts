/**
 * Thrown by `decode` and `handle` for a message that will never succeed: it becomes a dead letter at once, without a
 * retry.
 */
export class PoisonError extends Error {
  override readonly name = 'PoisonError'
}

export type Settlement =
  | { do: 'ack' }
  | { do: 'nak'; delayMs: number }
  | { do: 'dead-letter'; reason: string }

/** The retry delays of a consumer that does not set its own. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000]

/**
 * Decides what happens to a message and does nothing else, so that one table tests the retry policy.
 * `deliveryCount` is 1 on first delivery (JetStream counts deliveries, not retries).
 */
export function settle(error: unknown, deliveryCount: number, retryDelaysMs: readonly number[]): Settlement {
  if (error === undefined) return { do: 'ack' }
  if (error instanceof PoisonError) return { do: 'dead-letter', reason: error.message }
  const delayMs = retryDelaysMs[deliveryCount - 1]
  return delayMs === undefined ? { do: 'dead-letter', reason: 'retries exhausted' } : { do: 'nak', delayMs }
}

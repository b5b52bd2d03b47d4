/** Thrown by `decode` and `handle` for a message that will never succeed: it becomes a dead letter at once, without a retry. */
export class PoisonError extends Error {
  override readonly name = 'PoisonError'
}

export type Settlement =
  { do: 'ack' } | { do: 'nak'; delayMs: number } | { do: 'dead-letter'; reason: string }

/** For consumers that name no others. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000]

/**
 * Decides what happens to a message, and does nothing else, so the retry policy is one table test.
 * `deliveryCount` is 1 on first delivery (JetStream counts deliveries, not retries).
 */
export function settle(error: unknown, deliveryCount: number, retryDelaysMs: readonly number[]): Settlement {
  if (error === undefined) return { do: 'ack' }
  if (error instanceof PoisonError) return { do: 'dead-letter', reason: error.message }
  const delayMs = retryDelaysMs[deliveryCount - 1]
  return delayMs === undefined ? { do: 'dead-letter', reason: 'retries exhausted' } : { do: 'nak', delayMs }
}

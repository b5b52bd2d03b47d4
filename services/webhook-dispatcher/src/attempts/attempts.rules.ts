import type { Standing } from '../subscriptions/subscriptions.ts'

/** Waits before the second and the third attempt (D11.3). */
const RETRY_DELAYS_MS = [1_000, 5_000]

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** The wait before `attempt` (2 to `MAX_ATTEMPTS`), ±20 %. `random` yields 0 to 1. Throws for any other attempt. */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delayMs = RETRY_DELAYS_MS[attempt - 2]
  if (delayMs === undefined) throw new RangeError(`attempt ${attempt} has no retry delay`)
  return Math.round(delayMs * (0.8 + 0.4 * random()))
}

/** Why a delivery ended without a 2xx. A closed set: each is a label of `webhook_dropped_total`. */
export type DropReason =
  | 'no_webhook'
  | 'disabled'
  | 'subscription_lapsed'
  | 'subscription_unknown'
  | 'before_enabled'
  | 'secret_unreadable'
  | 'attempts_exhausted'
  | 'lane_full'

/** Where nobody can say whether the subscription lasts, a delivery waits for so long, and keys is asked so often. */
export const HOLD = { forMs: 300_000, askEveryMs: 5_000 }

/** As much of the webhook as decides. */
type Toggle = { enabled: boolean; enabled_at: string }

/** Two clocks are compared, the broker's and the database's; this much they may differ. */
const CLOCK_TOLERANCE_MS = 2_000

/**
 * Why there must be no attempt now, or undefined. `receivedAt` is when the broker stored the event: one from a time
 * when deliveries were off (or from before the webhook) is not replayed once they are on. `unknown`: there would be one, if
 * the subscription lasts.
 */
export function whyNotNow(
  target: Toggle | undefined,
  standing: Standing,
  receivedAt: number,
): DropReason | 'unknown' | undefined {
  if (!target) return 'no_webhook'
  if (!target.enabled) return 'disabled'
  if (standing === 'lapsed') return 'subscription_lapsed'
  if (receivedAt < Date.parse(target.enabled_at) - CLOCK_TOLERANCE_MS) return 'before_enabled'
  return standing === 'unknown' ? 'unknown' : undefined
}

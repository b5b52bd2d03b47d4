import type { SubscriptionStatus } from '../subscriptions/subscriptions.ts'

/** The waits between attempts, each ±20 % (D11.3). */
const RETRY_DELAYS_MS = [1_000, 5_000]

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** The wait before `attempt`, 2 to MAX_ATTEMPTS; throws for any other. `random` yields 0 to 1. */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delayMs = RETRY_DELAYS_MS[attempt - 2]
  if (delayMs === undefined) throw new RangeError(`attempt ${attempt} is not a retry`)
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

/** While the subscription is unknown, a delivery waits this long, and keys is asked this often. */
export const HOLD = { forMs: 300_000, askEveryMs: 5_000 }

/** The part of the webhook that decides. */
type Toggle = { enabled: boolean; enabled_at: string }

/** The clocks of the broker and of the database may differ by this much. */
const CLOCK_TOLERANCE_MS = 2_000

/**
 * Why an attempt must not be made now, or undefined. `receivedAt` is when the broker stored the event: an event from
 * before the webhook, or from before deliveries were switched on, is not replayed. `unknown`: an attempt is due if the
 * subscription is active.
 */
export function dropReason(
  target: Toggle | undefined,
  status: SubscriptionStatus,
  receivedAt: number,
): DropReason | 'unknown' | undefined {
  if (!target) return 'no_webhook'
  if (!target.enabled) return 'disabled'
  if (status === 'lapsed') return 'subscription_lapsed'
  if (receivedAt < Date.parse(target.enabled_at) - CLOCK_TOLERANCE_MS) return 'before_enabled'
  return status === 'unknown' ? 'unknown' : undefined
}

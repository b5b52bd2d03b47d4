import type { SubscriptionStatus } from '../../subscriptions/subscriptions.ts'
import { CLOCK_TOLERANCE_MS } from '../../webhooks/webhooks.rules.ts'

/** The waits between attempts, each ±20 % (D11.3). */
const RETRY_DELAYS_MS = [1_000, 5_000]

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** The wait before `attempt`, which is 2 to MAX_ATTEMPTS. Throws for another. `random` returns 0 to 1. */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delayMs = RETRY_DELAYS_MS[attempt - 2]
  if (delayMs === undefined) throw new RangeError(`attempt ${attempt} is not a retry`)
  return Math.round(delayMs * (0.8 + 0.4 * random()))
}

/** Why a delivery ended without a 2xx. Each is a label of `webhook_dropped_total`. */
export type DropReason =
  | 'no_webhook'
  | 'disabled'
  | 'subscription_lapsed'
  | 'subscription_unknown'
  | 'before_enabled'
  | 'webhook_replaced'
  | 'secret_unreadable'
  | 'attempts_exhausted'
  | 'lane_full'

/** While the subscription is unknown, a delivery waits at most `forMs` and asks keys every `askEveryMs`. */
export const HOLD = { forMs: 300_000, askEveryMs: 5_000 }

type Toggle = { id: number; enabled: boolean; enabled_at: string }

/**
 * Why no attempt may be made now, or undefined. `receivedAt` is when the broker stored the event: an event from
 * before the webhook was created, or deliveries were switched on, is not delivered. `webhookId`: the webhook with which
 * the delivery began; no other gets it (D13.13). `unknown`: an attempt may be made if the subscription is active.
 */
export function dropReason(
  target: Toggle | undefined,
  status: SubscriptionStatus,
  { receivedAt, webhookId = target?.id }: { receivedAt: number; webhookId?: number },
): DropReason | 'unknown' | undefined {
  if (!target) return 'no_webhook'
  if (!target.enabled) return 'disabled'
  if (status === 'lapsed') return 'subscription_lapsed'
  if (receivedAt < Date.parse(target.enabled_at) - CLOCK_TOLERANCE_MS) return 'before_enabled'
  if (target.id !== webhookId) return 'webhook_replaced'
  return status === 'unknown' ? 'unknown' : undefined
}

import type { About, Filter, Retry } from '../db.ts'
import type { SubscriptionStatus } from '../subscriptions/subscriptions.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The waits after each attempt (D11.3, D13.4). `extended` goes on with the last one for `EXTENDED_MS`. */
const WAITS_MS = {
  standard: [SECOND, 5 * SECOND],
  extended: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
} satisfies Record<Retry, number[]>
export const EXTENDED_MS = 72 * HOUR

/**
 * The wait after attempt number `made`, which began `sinceFirstMs` after the first one, ±20 %. Undefined: it was the last
 * attempt. `random` returns 0 to 1.
 */
export function waitAfter(
  retry: Retry,
  { made, sinceFirstMs }: { made: number; sinceFirstMs: number },
  random: () => number,
): number | undefined {
  const waits: readonly number[] = WAITS_MS[retry]
  const wait = retry === 'extended' ? (waits[made - 1] ?? waits.at(-1)) : waits[made - 1]
  if (wait === undefined) return undefined
  const waitMs = Math.round(wait * (0.8 + 0.4 * random()))
  if (retry === 'standard') return waitMs
  const leftMs = EXTENDED_MS - sinceFirstMs
  return leftMs > 0 ? Math.min(waitMs, leftMs) : undefined
}

/** Why a delivery ended without a 2xx. Each is a label of `webhook_dropped_total`. */
export type DropReason =
  | 'disabled'
  | 'subscription_lapsed'
  | 'not_wanted'
  | 'event_removed'
  | 'secret_unreadable'
  | 'attempts_exhausted'

export type Wish = { enabled: boolean; event_types: readonly string[]; filter: Filter | null }

/** Why no attempt may be made now, or undefined. It is asked before each attempt (D11.3). */
export function dropReason(
  wish: Wish,
  status: Exclude<SubscriptionStatus, 'unknown'>,
  event: { type: string; about: About | null },
): DropReason | undefined {
  if (!wish.enabled) return 'disabled'
  if (status === 'lapsed') return 'subscription_lapsed'
  return isWanted(wish, event) ? undefined : 'not_wanted'
}

/**
 * Whether an endpoint wants an event. A condition concerns only types that have that thing: an asset type or a place
 * (D13.9).
 */
export function isWanted(
  { event_types, filter }: Pick<Wish, 'event_types' | 'filter'>,
  { type, about }: { type: string; about: About | null },
): boolean {
  if (!event_types.includes(type)) return false
  if (!filter) return true
  const { asset_types, location_ids, include_descendants } = filter
  const isOfType =
    asset_types.length === 0 || about?.asset_type === undefined || asset_types.includes(about.asset_type)
  const places = include_descendants ? about?.within : about?.at
  return isOfType && (location_ids.length === 0 || !places || places.some((id) => location_ids.includes(id)))
}

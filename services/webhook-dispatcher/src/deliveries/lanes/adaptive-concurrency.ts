import { LRUCache } from 'lru-cache'

/** An attempt that takes this long is slow. */
export const SLOW_MS = 1_000

/** Deliveries of one organization at the same time. */
export const CONCURRENCY_LIMITS = { unknown: 4, well: 16, slow: 4, failed: 1 } as const

const MAX_REMEMBERED = 10_000
const REMEMBERED_MS = 10 * 60_000

/** `allowed` includes the fraction of one more that the successes so far have earned. */
type Receiver = { allowed: number; slow: boolean; until: number }

/**
 * How many deliveries the receiver of each organization may get at once, and whether it is slow. A failure reduces
 * the number to one. When each allowed delivery has succeeded once, one more is allowed, so that a receiver which
 * limits its rate is not flooded. A result counts for ten minutes. Above 10 000 organizations, the one without a
 * result for the longest time is evicted; its receiver counts as unknown.
 */
export class AdaptiveConcurrency {
  readonly #receivers = new LRUCache<number, Receiver>({ max: MAX_REMEMBERED })
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How many deliveries may run at once. */
  allowed(orgId: number): number {
    return Math.floor(this.#allowed(orgId))
  }

  isSlow(orgId: number): boolean {
    return this.#find(orgId)?.slow ?? false
  }

  /** Its last attempt failed or was slow. */
  isInTrouble(orgId: number): boolean {
    return this.isSlow(orgId) || this.allowed(orgId) === CONCURRENCY_LIMITS.failed
  }

  /** Takes the result of an attempt. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    const slow = latencyMs >= SLOW_MS
    const most = slow ? CONCURRENCY_LIMITS.slow : CONCURRENCY_LIMITS.well
    const allowed = this.#allowed(orgId)
    this.#remember(orgId, slow, delivered ? Math.min(allowed + 1 / allowed, most) : CONCURRENCY_LIMITS.failed)
  }

  /** An attempt that still runs is already slow. */
  markSlow(orgId: number): void {
    this.#remember(orgId, true, Math.min(this.#allowed(orgId), CONCURRENCY_LIMITS.slow))
  }

  #allowed(orgId: number): number {
    return this.#find(orgId)?.allowed ?? CONCURRENCY_LIMITS.unknown
  }

  #find(orgId: number): Receiver | undefined {
    const known = this.#receivers.peek(orgId) // unlike get, peek does not delay the eviction: only results do
    return known && known.until > this.#now() ? known : undefined
  }

  #remember(orgId: number, slow: boolean, allowed: number): void {
    this.#receivers.set(orgId, { slow, allowed, until: this.#now() + REMEMBERED_MS })
  }
}

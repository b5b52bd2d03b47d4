import { LRUCache } from 'lru-cache'

/** An attempt that takes this long is slow. */
export const SLOW_MS = 1_000

/** Deliveries of one endpoint at the same time. */
export const CONCURRENCY_LIMITS = { unknown: 4, well: 16, slow: 4, failed: 1 } as const

const MAX_REMEMBERED = 10_000
const REMEMBERED_MS = 10 * 60_000

/** `allowed` includes the fraction of one more that the successes so far have earned. */
type Receiver = { allowed: number; slow: boolean; until: number }

/**
 * How many deliveries the receiver of each endpoint may get at once, and whether it is slow. A failure reduces
 * the number to one. When each allowed delivery has succeeded once, one more is allowed, so that a receiver which
 * limits its rate is not flooded. A result counts for ten minutes. Above 10 000 endpoints, the one without a
 * result for the longest time is evicted; its receiver counts as unknown.
 */
export class AdaptiveConcurrency {
  readonly #receivers = new LRUCache<number, Receiver>({ max: MAX_REMEMBERED })
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How many deliveries may run at once. */
  allowed(id: number): number {
    return Math.floor(this.#allowed(id))
  }

  isSlow(id: number): boolean {
    return this.#find(id)?.slow ?? false
  }

  /** Its last attempt failed or was slow. */
  isInTrouble(id: number): boolean {
    return this.isSlow(id) || this.allowed(id) === CONCURRENCY_LIMITS.failed
  }

  /** Takes the result of an attempt. */
  report(id: number, delivered: boolean, latencyMs: number): void {
    const slow = latencyMs >= SLOW_MS
    const most = slow ? CONCURRENCY_LIMITS.slow : CONCURRENCY_LIMITS.well
    const allowed = this.#allowed(id)
    this.#remember(id, slow, delivered ? Math.min(allowed + 1 / allowed, most) : CONCURRENCY_LIMITS.failed)
  }

  /** An attempt that still runs is already slow. */
  markSlow(id: number): void {
    this.#remember(id, true, Math.min(this.#allowed(id), CONCURRENCY_LIMITS.slow))
  }

  #allowed(id: number): number {
    return this.#find(id)?.allowed ?? CONCURRENCY_LIMITS.unknown
  }

  #find(id: number): Receiver | undefined {
    const known = this.#receivers.peek(id) // unlike get, peek does not delay the eviction: only results do
    return known && known.until > this.#now() ? known : undefined
  }

  #remember(id: number, slow: boolean, allowed: number): void {
    this.#receivers.set(id, { slow, allowed, until: this.#now() + REMEMBERED_MS })
  }
}

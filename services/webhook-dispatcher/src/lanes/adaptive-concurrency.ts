/** An attempt that takes this long is slow. */
export const SLOW_MS = 1_000

/** Deliveries of one organization at the same time. */
export const CONCURRENCY_LIMITS = { unknown: 4, well: 16, slow: 4, failed: 1 } as const

const MAX_REMEMBERED = 10_000
const REMEMBERED_MS = 10 * 60_000

/** `allowed` has a fraction: of the next one. */
type Pace = { allowed: number; slow: boolean; until: number }

/**
 * How each organization's receiver behaved last: how many deliveries it may get at once, and whether it is slow. A
 * failure reduces them to one. When each allowed delivery has succeeded once, one more is allowed, so that a receiver
 * which limits its rate is not flooded at once. Remembered for ten minutes, for a limited number of organizations; a
 * forgotten receiver counts as untried.
 */
export class AdaptiveConcurrency {
  readonly #known = new Map<number, Pace>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How many deliveries may be under way. */
  allowed(orgId: number): number {
    return Math.floor(this.#allowed(orgId))
  }

  isSlow(orgId: number): boolean {
    return this.#find(orgId)?.slow ?? false
  }

  /** Its last attempt failed, or took long. */
  isInTrouble(orgId: number): boolean {
    return this.isSlow(orgId) || this.allowed(orgId) === CONCURRENCY_LIMITS.failed
  }

  /** An attempt has ended. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    const slow = latencyMs >= SLOW_MS
    const most = slow ? CONCURRENCY_LIMITS.slow : CONCURRENCY_LIMITS.well
    const allowed = this.#allowed(orgId)
    this.#remember(orgId, slow, delivered ? Math.min(allowed + 1 / allowed, most) : CONCURRENCY_LIMITS.failed)
  }

  /** An attempt has not ended yet and is slow already. */
  markSlow(orgId: number): void {
    this.#remember(orgId, true, Math.min(this.#allowed(orgId), CONCURRENCY_LIMITS.slow))
  }

  #allowed(orgId: number): number {
    return this.#find(orgId)?.allowed ?? CONCURRENCY_LIMITS.unknown
  }

  #find(orgId: number): Pace | undefined {
    const known = this.#known.get(orgId)
    return known && known.until > this.#now() ? known : undefined
  }

  #remember(orgId: number, slow: boolean, allowed: number): void {
    this.#known.delete(orgId) // so that the first of the map is the one heard of longest ago
    this.#known.set(orgId, { slow, allowed, until: this.#now() + REMEMBERED_MS })
    if (this.#known.size <= MAX_REMEMBERED) return
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest)
      return
    }
  }
}

/** From here on an attempt is slow: it is no longer one that keeps the others of its share waiting for a moment only. */
export const SLOW_MS = 1_000

/** Deliveries of one organization at the same time. */
export const SHARES = { unknown: 4, well: 16, slow: 4, failed: 1 } as const

const MAX_REMEMBERED = 10_000
const REMEMBERED_MS = 10 * 60_000

/** `allowed` has a fraction: of the next one. */
type Pace = { allowed: number; slow: boolean; until: number }

/**
 * What each organization's receiver was like last: how many deliveries it may be asked for at once, and whether it
 * keeps requests long. A failure leaves one; a success of each of those allowed allows one more, so that a receiver which
 * refuses what comes too fast is not pushed at once again. Remembered for ten minutes and of a bounded number of
 * organizations; a receiver that is forgotten is one that was never tried.
 */
export class Paces {
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
    return this.isSlow(orgId) || this.allowed(orgId) === SHARES.failed
  }

  /** An attempt has ended. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    const slow = latencyMs >= SLOW_MS
    const most = slow ? SHARES.slow : SHARES.well
    const allowed = this.#allowed(orgId)
    this.#remember(orgId, slow, delivered ? Math.min(allowed + 1 / allowed, most) : SHARES.failed)
  }

  /** An attempt has not ended yet and is slow already. */
  markSlow(orgId: number): void {
    this.#remember(orgId, true, Math.min(this.#allowed(orgId), SHARES.slow))
  }

  #allowed(orgId: number): number {
    return this.#find(orgId)?.allowed ?? SHARES.unknown
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

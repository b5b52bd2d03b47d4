import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'

/** What people look at may take this much of the thread, of each organization: milliseconds a second, and at once. */
const MS_PER_SECOND = 50
const BURST_SECONDS = 1

/** The time that decoding has taken, of each organization. */
export class DecodingTime {
  readonly #buckets = new RateBuckets(BURST_SECONDS)

  isSpent(orgId: number): boolean {
    return this.#buckets.isInDebt(orgId, Date.now(), MS_PER_SECOND)
  }

  /** Charges the time that `work` takes. */
  measure<T>(orgId: number, work: () => T): T {
    const begun = performance.now()
    const result = work()
    this.#buckets.charge(orgId, Date.now(), MS_PER_SECOND, performance.now() - begun)
    return result
  }
}

import { LRUCache } from 'lru-cache'
import { secondsUntilToken, type Rate, type Take } from './token-bucket.ts'

type Refusal = { capacity: number; until: number; fullAt: number }

/**
 * Caches buckets that the database found empty, until they have a token again. Only time refills a bucket, so repeated
 * requests of a limited caller cost no statement. An evicted bucket costs one statement, which finds it empty.
 * Milliseconds since 1970.
 */
export class BucketRefusals {
  readonly #empty: LRUCache<string, Refusal>

  constructor(max = 50_000) {
    this.#empty = new LRUCache({ max })
  }

  /**
   * `askedAt` is the time before the database was asked, so that our refusals end no later than those of the
   * database.
   */
  remember(bucket: string, rate: Rate, secondsUntilFull: number, askedAt: number): void {
    const until = askedAt + secondsUntilToken(rate, secondsUntilFull) * 1000
    this.#empty.set(bucket, { capacity: rate.capacity, until, fullAt: askedAt + secondsUntilFull * 1000 })
  }

  /** Call it when a token was returned to the bucket. */
  delete(bucket: string): void {
    this.#empty.delete(bucket)
  }

  /** The cached refusal; undefined if the bucket may have a token or its size has changed. */
  find(bucket: string, rate: Rate, nowMs: number): Take | undefined {
    const refusal = this.#empty.get(bucket)
    if (!refusal) return undefined
    if (refusal.until > nowMs && refusal.capacity === rate.capacity)
      return { taken: false, secondsUntilFull: (refusal.fullAt - nowMs) / 1000 }
    this.#empty.delete(bucket)
    return undefined
  }
}

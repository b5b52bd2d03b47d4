import { LRUCache } from 'lru-cache'
import { secondsUntilToken, type Rate, type Take } from './token-bucket.ts'

type Refusal = { capacity: number; until: number; fullAt: number }

/**
 * Buckets that the database found empty, until they hold a token again. Only time changes an empty bucket, so a caller
 * that hammers on costs no statement. An evicted one costs a statement and stays empty. Milliseconds since 1970.
 */
export class BucketRefusals {
  readonly #empty: LRUCache<string, Refusal>

  constructor(max = 50_000) {
    this.#empty = new LRUCache({ max })
  }

  /** `askedAt` is the moment before the database was asked, so that our refusals end no later than its own. */
  remember(bucket: string, rate: Rate, secondsUntilFull: number, askedAt: number): void {
    const until = askedAt + secondsUntilToken(rate, secondsUntilFull) * 1000
    this.#empty.set(bucket, { capacity: rate.capacity, until, fullAt: askedAt + secondsUntilFull * 1000 })
  }

  /** The bucket got a token back. */
  forget(bucket: string): void {
    this.#empty.delete(bucket)
  }

  /** Undefined when the bucket may hold a token, or its size has changed since. */
  find(bucket: string, rate: Rate, nowMs: number): Take | undefined {
    const refusal = this.#empty.get(bucket)
    if (!refusal) return undefined
    if (refusal.until > nowMs && refusal.capacity === rate.capacity)
      return { taken: false, secondsUntilFull: (refusal.fullAt - nowMs) / 1000 }
    this.#empty.delete(bucket)
    return undefined
  }
}

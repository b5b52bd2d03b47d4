import { secondsUntilToken, type Rate, type Take } from './token-bucket.ts'

type Refusal = { capacity: number; until: number; fullAt: number }

const MAX_REFUSALS = 50_000

/**
 * Buckets that the database found empty, until they hold a token again. Nothing but time changes an empty bucket, so
 * a caller that hammers on costs no statement. Milliseconds since 1970.
 */
export class BucketRefusals {
  readonly #empty = new Map<string, Refusal>()

  /** `askedAt` is the moment before the database was asked, so that our refusals end no later than its own. */
  remember(bucket: string, rate: Rate, secondsUntilFull: number, askedAt: number): void {
    if (this.#empty.size >= MAX_REFUSALS) this.#empty.clear()
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

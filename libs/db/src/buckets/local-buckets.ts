import { LRUCache } from 'lru-cache'
import { secondsUntilToken, type Rate, type Take } from './token-bucket.ts'

/**
 * Token buckets of this process only. Evicts the bucket with the oldest take: it is closest to full, and evicting a full
 * bucket changes nothing. Milliseconds since 1970.
 */
export class LocalBuckets {
  readonly #fullAt: LRUCache<string, number>

  constructor(max = 50_000) {
    this.#fullAt = new LRUCache({ max })
  }

  take(bucket: string, rate: Rate, nowMs: number): Take {
    const ahead = this.#secondsUntilFull(bucket, nowMs)
    if (secondsUntilToken(rate, ahead) > 0) return { taken: false, secondsUntilFull: ahead }
    const secondsUntilFull = ahead + rate.secondsPerToken
    this.#fullAt.set(bucket, nowMs + secondsUntilFull * 1000)
    return { taken: true, secondsUntilFull }
  }

  /** Whole seconds until the next take can succeed; 0 if it can now. */
  secondsToWait(bucket: string, rate: Rate, nowMs: number): number {
    return Math.max(0, Math.ceil(secondsUntilToken(rate, this.#secondsUntilFull(bucket, nowMs))))
  }

  #secondsUntilFull(bucket: string, nowMs: number): number {
    return Math.max(0, (this.#fullAt.get(bucket) ?? nowMs) - nowMs) / 1000
  }

  giveBack(bucket: string, { secondsPerToken }: Rate): void {
    const fullAt = this.#fullAt.peek(bucket)
    if (fullAt !== undefined) this.#fullAt.set(bucket, fullAt - secondsPerToken * 1000)
  }
}

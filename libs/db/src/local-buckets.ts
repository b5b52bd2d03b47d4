import { secondsUntilToken, type Rate, type Take } from './token-bucket.ts'

const MAX_BUCKETS = 50_000

/** The same buckets in this process alone, for the time the database is away. Milliseconds since 1970. */
export class LocalBuckets {
  readonly #fullAt = new Map<string, number>()

  take(bucket: string, rate: Rate, nowMs: number): Take {
    const ahead = Math.max(0, (this.#fullAt.get(bucket) ?? nowMs) - nowMs) / 1000
    if (secondsUntilToken(rate, ahead) > 0) return { taken: false, secondsUntilFull: ahead }
    const secondsUntilFull = ahead + rate.secondsPerToken
    if (this.#fullAt.size >= MAX_BUCKETS) this.#forgetFull(nowMs)
    this.#fullAt.set(bucket, nowMs + secondsUntilFull * 1000)
    return { taken: true, secondsUntilFull }
  }

  giveBack(bucket: string, { secondsPerToken }: Rate): void {
    const fullAt = this.#fullAt.get(bucket)
    if (fullAt !== undefined) this.#fullAt.set(bucket, fullAt - secondsPerToken * 1000)
  }

  /** All, when none is full: a full bucket too many is better than memory without end. */
  #forgetFull(nowMs: number): void {
    for (const [bucket, fullAt] of this.#fullAt) if (fullAt <= nowMs) this.#fullAt.delete(bucket)
    if (this.#fullAt.size >= MAX_BUCKETS) this.#fullAt.clear()
  }
}

/** Above this many buckets, full ones are evicted, because a new bucket starts full. */
const SWEEP_ABOVE = 10_000

type Bucket = { tokens: number; atMs: number }

/**
 * A token bucket in memory for each name, such as the id of an organization. The caller gives the time: ingest that of receipt at the broker, so
 * that a backlog after our own outage is not a flood.
 */
export class RateBuckets<Name extends number | string = number> {
  readonly #buckets = new Map<Name, Bucket>()
  readonly #burstSeconds: number

  /** `burstSeconds`: a full bucket lets this many seconds' worth through at once. */
  constructor(burstSeconds: number) {
    this.#burstSeconds = burstSeconds
  }

  /** Takes `tokens`. If there are fewer, it takes none and returns false. */
  take(name: Name, atMs: number, perSecond: number, tokens = 1): boolean {
    const bucket = this.#filled(name, atMs, perSecond, tokens)
    if (bucket.tokens < tokens) return false
    bucket.tokens -= tokens
    return true
  }

  /** Takes what something has cost, which is known only afterwards. The debt is at most one burst. */
  charge(name: Name, atMs: number, perSecond: number, tokens: number): void {
    const bucket = this.#filled(name, atMs, perSecond)
    bucket.tokens = Math.max(-perSecond * this.#burstSeconds, bucket.tokens - tokens)
  }

  isInDebt(name: Name, atMs: number, perSecond: number): boolean {
    return this.#buckets.has(name) && this.#filled(name, atMs, perSecond).tokens < 0
  }

  get size(): number {
    return this.#buckets.size
  }

  #filled(name: Name, atMs: number, perSecond: number, least = 0): Bucket {
    const most = Math.max(least, perSecond * this.#burstSeconds)
    const bucket = this.#bucket(name, atMs, most)
    const elapsed = Math.max(0, atMs - bucket.atMs)
    bucket.tokens = Math.min(most, bucket.tokens + (elapsed / 1_000) * perSecond)
    bucket.atMs = Math.max(bucket.atMs, atMs)
    return bucket
  }

  #bucket(name: Name, atMs: number, tokens: number): Bucket {
    const known = this.#buckets.get(name)
    if (known) return known
    if (this.#buckets.size >= SWEEP_ABOVE)
      for (const [other, { atMs: last }] of this.#buckets)
        if (atMs - last >= this.#burstSeconds * 1_000) this.#buckets.delete(other)
    const bucket = { tokens, atMs }
    this.#buckets.set(name, bucket)
    return bucket
  }
}

import { secondsUntilToken, type Rate as BucketRate, type Take } from '@whereabouts/db/buckets/token-bucket'

export type Rate = BucketRate & { limit: number }

export const rateOf = (limitPerMinute: number): Rate => ({
  limit: limitPerMinute,
  capacity: 2 * limitPerMinute,
  secondsPerToken: 60 / limitPerMinute,
})

/** The state of a bucket, for the client. `resetAt` is in Unix seconds. */
export type Decision = {
  taken: boolean
  limit: number
  remaining: number
  resetAt: number
  retryAfterSeconds: number
}

/** `nowMs` is the instant that `secondsUntilFull` counts from. */
export function decide(rate: Rate, { taken, secondsUntilFull }: Take, nowMs: number): Decision {
  const { limit, capacity, secondsPerToken } = rate
  // Rounding of binary fractions must not cost a token.
  const tokens = Math.floor(capacity - secondsUntilFull / secondsPerToken + 1e-6)
  const secondsUntilLimit = Math.max(0, secondsUntilFull - (capacity - limit) * secondsPerToken)
  return {
    taken,
    limit,
    remaining: Math.max(0, Math.min(limit, tokens)),
    resetAt: Math.ceil(nowMs / 1000 + secondsUntilLimit),
    retryAfterSeconds: Math.max(1, Math.ceil(secondsUntilToken(rate, secondsUntilFull))),
  }
}

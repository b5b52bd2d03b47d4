/**
 * The token bucket as arithmetic. Its whole state is the instant at which it is full again: a take moves that instant
 * by one token's worth, and is refused when it would lie further ahead than the bucket is deep.
 */

/** Requests per minute that are granted to an API key for ever; the bucket holds twice as many (`interface.md`, Limits). */
export const DEFAULT_LIMIT_PER_MINUTE = 60
/** The same of a user, over all sessions (D12.10). */
export const USER_LIMIT_PER_MINUTE = 600

export type Rate = { limit: number; capacity: number; secondsPerToken: number }

export const rateOf = (limitPerMinute: number): Rate => ({
  limit: limitPerMinute,
  capacity: 2 * limitPerMinute,
  secondsPerToken: 60 / limitPerMinute,
})

export type Take = { taken: boolean; secondsUntilFull: number }

/** What a caller is told of its bucket. `resetAt` is in Unix seconds. */
export type Decision = {
  taken: boolean
  limit: number
  remaining: number
  resetAt: number
  retryAfterSeconds: number
}

/** Seconds until the next take can succeed; 0 or less when it can now. */
export const secondsUntilToken = (rate: Rate, secondsUntilFull: number): number =>
  secondsUntilFull - (rate.capacity - 1) * rate.secondsPerToken

/** `nowMs` is the moment `secondsUntilFull` counts from. */
export function decide(rate: Rate, { taken, secondsUntilFull }: Take, nowMs: number): Decision {
  const { limit, capacity, secondsPerToken } = rate
  // Rounding of binary fractions must not cost a token that is there.
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

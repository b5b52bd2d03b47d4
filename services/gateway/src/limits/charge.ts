import { limits } from '@whereabouts/contracts/limits'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Caller } from '../auth/authenticator.ts'
import type { Decision } from './bucket.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Requests a minute of a user (D12.10), or of a key (D9.9). */
export const limitOf = ({ principal, ownLimitPerMinute }: Caller): number =>
  principal.kind === 'session'
    ? limits.requestsPerMinute.user
    : (ownLimitPerMinute ?? limits.requestsPerMinute.key)

/**
 * Takes a token of the caller's bucket, and one of those that the keys of its organization share. Throws the 429 of
 * D9.9 if there is none. `announce` hears of the caller's bucket first, also of an empty one.
 */
export async function charge(
  limiter: RateLimiter,
  { bucket, principal, ownLimitPerMinute }: Caller,
  limitPerMinute: number,
  announce?: (decision: Decision) => void,
): Promise<void> {
  const decision = await limiter.take(bucket, limitPerMinute)
  announce?.(decision)
  if (!decision.taken) throw rateLimited(decision.retryAfterSeconds)
  // What an operator has granted to a key is its own.
  const isShared = principal.kind === 'key' && ownLimitPerMinute === undefined
  const seconds = isShared ? limiter.takeOfKeys(principal.orgId) : 0
  if (seconds > 0) throw rateLimited(seconds)
}

const rateLimited = (seconds: number) =>
  new AppError('rate_limited', `Retry after ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
  })

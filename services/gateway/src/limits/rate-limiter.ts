import { limits } from '@whereabouts/contracts/limits'
import { LocalBuckets } from '@whereabouts/db/buckets/local-buckets'
import { sharedBuckets } from '@whereabouts/db/buckets/shared-buckets'
import type { Rate, Take } from '@whereabouts/db/buckets/token-bucket'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Counter } from '@whereabouts/service-kit/observe/metrics'
import { decide, rateOf, type Decision } from './bucket.ts'

export type RateLimiter = {
  /** Takes a token of the bucket if it holds one. Never rejects. */
  take(bucket: string, limitPerMinute: number): Promise<Decision>
  /**
   * Takes a token of those that all keys of an organization share, in this process: so it costs no statement. Resolves
   * with the seconds to wait; 0 if it was taken.
   */
  takeOfKeys(orgId: number): number
}

type Options = {
  /** The bucket that all gateways share. Rejects while the database is unreachable. */
  takeShared: (bucket: string, rate: Rate) => Promise<Take>
  log: Logger
  /** By source: `shared`, `memory` (a known empty bucket), or `local` while the database is unreachable. */
  decisions: Counter<'source' | 'outcome'>
  now?: () => number
}

export function rateLimiter({ decisions, now = Date.now, ...options }: Options): RateLimiter {
  const onTake = (source: string, taken: boolean) =>
    decisions.inc({ source, outcome: taken ? 'taken' : 'refused' })
  const buckets = sharedBuckets({ ...options, now, onTake })
  const ofKeys = new LocalBuckets()
  return {
    async take(bucket, limitPerMinute) {
      const rate = rateOf(limitPerMinute)
      return decide(rate, await buckets.take(bucket, rate), now())
    },
    takeOfKeys(orgId) {
      const rate = rateOf(limits.requestsPerMinute.organization)
      const decision = decide(rate, ofKeys.take(String(orgId), rate, now()), now())
      return decision.taken ? 0 : decision.retryAfterSeconds
    },
  }
}

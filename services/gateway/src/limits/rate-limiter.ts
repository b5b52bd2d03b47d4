import type { Logger } from '@whereabouts/service-kit/logging'
import type { Counter } from '@whereabouts/service-kit/metrics'
import { decide, rateOf, type Decision, type Rate, type Take } from './bucket.ts'
import { LocalBuckets } from './local-buckets.ts'
import { Refusals } from './refusals.ts'

export type RateLimiter = {
  /** Takes a token of the bucket if it holds one. Never rejects. */
  take(bucket: string, limitPerMinute: number): Promise<Decision>
}

type Options = {
  /** The shared truth. Rejects while the database is away. */
  takeShared: (bucket: string, rate: Rate) => Promise<Take>
  log: Logger
  /** By where it was decided: `shared`, `memory` of an empty bucket, or `local` in place of the database. */
  decisions: Counter<'source' | 'outcome'>
  now?: () => number
}

/** A statement takes under a millisecond; a database that needs this long is as good as away. */
const SHARED_TIMEOUT_MS = 500
/** For this long after a failure nobody asks the database, so that an outage costs requests no time. */
const PAUSE_MS = 1_000

export function rateLimiter({ takeShared, log, decisions, now = Date.now }: Options): RateLimiter {
  const refusals = new Refusals()
  const local = new LocalBuckets()
  let pausedUntil = 0

  function answer(source: string, rate: Rate, take: Take): Decision {
    decisions.inc({ source, outcome: take.taken ? 'taken' : 'refused' })
    return decide(rate, take, now())
  }

  return {
    async take(bucket, limitPerMinute) {
      const rate = rateOf(limitPerMinute)
      const askedAt = now()
      const refused = refusals.find(bucket, rate, askedAt)
      if (refused) return answer('memory', rate, refused)
      if (askedAt < pausedUntil) return answer('local', rate, local.take(bucket, rate, askedAt))
      try {
        const take = await withTimeout(takeShared(bucket, rate), SHARED_TIMEOUT_MS)
        if (!take.taken) refusals.remember(bucket, rate, take.secondsUntilFull, askedAt)
        return answer('shared', rate, take)
      } catch (error) {
        if (now() >= pausedUntil) log.warn({ err: error }, 'rate limits are local: the database is away')
        pausedUntil = now() + PAUSE_MS
        return answer('local', rate, local.take(bucket, rate, now()))
      }
    },
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

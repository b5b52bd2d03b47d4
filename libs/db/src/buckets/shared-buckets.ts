import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { BucketRefusals } from './bucket-refusals.ts'
import { LocalBuckets } from './local-buckets.ts'
import type { Rate, Take } from './token-bucket.ts'

/** Where a take was decided: in the database, by a cached refusal, or in this process instead of the database. */
export type TakeSource = 'shared' | 'memory' | 'local'

export type SharedBuckets = {
  /** Takes a token of the bucket if it has one. Never rejects. */
  take(bucket: string, rate: Rate): Promise<Take>
  /** Returns a token that was just taken. Never rejects: at worst the token is lost. */
  giveBack(bucket: string, rate: Rate): Promise<void>
}

type Options = {
  /** Takes a token in the database. Rejects while the database is unreachable. */
  takeShared: (bucket: string, rate: Rate) => Promise<Take>
  /** Needed only for `giveBack`. */
  returnShared?: (bucket: string, rate: Rate) => Promise<void>
  log: Logger
  onTake?: (source: TakeSource, taken: boolean) => void
  now?: () => number
}

/** A statement normally takes less than a millisecond. A database that needs longer than this counts as unreachable. */
const SHARED_TIMEOUT_MS = 500
/** The database is not asked for this long after a failure, so that an outage does not delay requests. */
const PAUSE_MS = 1_000

/**
 * Token buckets that all replicas share through the database. While it is unreachable, each replica uses its own
 * buckets.
 */
export function sharedBuckets(options: Options): SharedBuckets {
  const { takeShared, returnShared, log, onTake = () => undefined, now = Date.now } = options
  const refusals = new BucketRefusals()
  const local = new LocalBuckets()
  let pausedUntil = 0

  function answer(source: TakeSource, take: Take): Take {
    onTake(source, take.taken)
    return take
  }

  function pause(error: unknown): void {
    if (now() >= pausedUntil) log.warn({ err: error }, 'rate limits are local: the database is away')
    pausedUntil = now() + PAUSE_MS
  }

  return {
    async take(bucket, rate) {
      const askedAt = now()
      const refused = refusals.find(bucket, rate, askedAt)
      if (refused) return answer('memory', refused)
      if (askedAt < pausedUntil) return answer('local', local.take(bucket, rate, askedAt))
      try {
        const take = await withTimeout(takeShared(bucket, rate), SHARED_TIMEOUT_MS)
        if (!take.taken) refusals.remember(bucket, rate, take.secondsUntilFull, askedAt)
        return answer('shared', take)
      } catch (error) {
        pause(error)
        return answer('local', local.take(bucket, rate, now()))
      }
    },

    async giveBack(bucket, rate) {
      local.giveBack(bucket, rate)
      if (now() < pausedUntil || !returnShared) return
      await withTimeout(returnShared(bucket, rate), SHARED_TIMEOUT_MS).catch(pause)
      refusals.delete(bucket)
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

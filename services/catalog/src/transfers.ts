import { LocalBuckets } from '@whereabouts/db/buckets/local-buckets'
import { tooManyTransfers } from './errors.ts'

type Holder = 'user' | 'organization'
type Bounds = Readonly<Record<Holder, number>>

type Options = {
  /** The word in the error. */
  noun: 'uploads' | 'exports' | 'images'
  concurrent: Bounds
  /** Starts per minute on average, with a burst of twice as many. Absent: no limit. */
  perMinute?: Bounds
  now?: () => number
}

export type Transfers = {
  /**
   * Counts a transfer. The caller must call the returned function at its end, also after an error; more calls do
   * nothing. Throws `rate_limited`. `userId` is undefined for callers that are not users.
   */
  begin(orgId: number, userId: number | undefined): () => void
}

const RETRY_SECONDS = 5

/**
 * Limits simultaneous transfers, which take time of the event loop, per user and per organization. In memory, so that
 * it costs no statement; n replicas allow n times as many.
 */
export function limitTransfers({ noun, concurrent, perMinute, now = Date.now }: Options): Transfers {
  const underWay = new Map<string, number>()
  const starts = new LocalBuckets()
  const rateOf = (of: Holder) =>
    perMinute && { capacity: 2 * perMinute[of], secondsPerToken: 60 / perMinute[of] }
  const add = (name: string, one: 1 | -1) => {
    const count = (underWay.get(name) ?? 0) + one
    if (count === 0) underWay.delete(name)
    else underWay.set(name, count)
  }

  return {
    begin(orgId, userId) {
      const names: [Holder, string][] = [['organization', `organization ${orgId}`]]
      if (userId !== undefined) names.unshift(['user', `user ${userId} of ${orgId}`])
      for (const [of, name] of names) {
        if ((underWay.get(name) ?? 0) < concurrent[of]) continue
        throw tooManyTransfers(`At most ${concurrent[of]} ${noun} of one ${of} at a time`, RETRY_SECONDS)
      }
      for (const [of, name] of names) {
        const rate = rateOf(of)
        const waitSeconds = rate ? starts.secondsToWait(name, rate, now()) : 0
        if (waitSeconds > 0)
          throw tooManyTransfers(`At most ${perMinute?.[of]} ${noun} of one ${of} a minute`, waitSeconds)
      }
      for (const [of, name] of names) {
        const rate = rateOf(of)
        if (rate) starts.take(name, rate, now())
        add(name, 1)
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        for (const [, name] of names) add(name, -1)
      }
    },
  }
}

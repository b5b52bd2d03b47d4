import { tooManyTransfers } from '../errors.ts'

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
const MINUTE_MS = 60_000

/**
 * Limits simultaneous transfers, which take time of the event loop, per user and per organization. In memory, so that
 * it costs no statement; n replicas allow n times as many.
 */
export function limitTransfers({ noun, concurrent, perMinute, now = Date.now }: Options): Transfers {
  const underWay = new Map<string, number>()
  const starts = perMinute && {
    user: new Buckets(perMinute.user, now),
    organization: new Buckets(perMinute.organization, now),
  }
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
        const waitSeconds = starts?.[of].secondsUntilToken(name) ?? 0
        if (waitSeconds > 0)
          throw tooManyTransfers(`At most ${perMinute?.[of]} ${noun} of one ${of} a minute`, waitSeconds)
      }
      for (const [of, name] of names) {
        starts?.[of].take(name)
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

const MAX_BUCKETS = 50_000

/** Token buckets. The state of a bucket is the time when it is full again. */
class Buckets {
  readonly #fullAt = new Map<string, number>()
  readonly #msPerToken: number
  readonly #capacity: number
  readonly #now: () => number

  constructor(perMinute: number, now: () => number) {
    this.#msPerToken = MINUTE_MS / perMinute
    this.#capacity = 2 * perMinute
    this.#now = now
  }

  /** 0 if there is a token. */
  secondsUntilToken(name: string): number {
    const ahead = (this.#fullAt.get(name) ?? 0) - this.#now()
    return Math.max(0, Math.ceil((ahead - (this.#capacity - 1) * this.#msPerToken) / 1000))
  }

  take(name: string): void {
    const now = this.#now()
    if (this.#fullAt.size >= MAX_BUCKETS) this.#evictFull(now)
    this.#fullAt.set(name, Math.max(now, this.#fullAt.get(name) ?? 0) + this.#msPerToken)
  }

  /** Evicts full buckets, or all if none is full: memory must stay bounded. */
  #evictFull(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name)
    if (this.#fullAt.size >= MAX_BUCKETS) this.#fullAt.clear()
  }
}

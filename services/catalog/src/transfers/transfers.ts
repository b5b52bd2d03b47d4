import { tooManyTransfers } from '../errors.ts'

type Of = 'user' | 'organization'
type Bounds = Readonly<Record<Of, number>>

type Options = {
  /** As a refusal calls them. */
  noun: 'uploads' | 'exports'
  atATime: Bounds
  /** Begun in a minute, for ever; twice as many at once. Absent: as many as end in time. */
  perMinute?: Bounds
  now?: () => number
}

export type Transfers = {
  /**
   * Counts one that begins; the answer must be called when it is over, whatever came of it, and may be called again.
   * Throws `rate_limited`: then nothing was begun. `userId` is undefined for callers that are not users.
   */
  begin(orgId: number, userId: number | undefined): () => void
}

/** A file that somebody sends or gets holds a connection and takes its share of the event loop. */
const RETRY_SECONDS = 5
const MINUTE_MS = 60_000

/**
 * Limits the files that are on their way, of each user and of each organization, in this process: with n replicas there
 * are n times as many, and no request costs a statement.
 */
export function limitTransfers({ noun, atATime, perMinute, now = Date.now }: Options): Transfers {
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
      const names: [Of, string][] = [['organization', `organization ${orgId}`]]
      if (userId !== undefined) names.unshift(['user', `user ${userId} of ${orgId}`])
      for (const [of, name] of names) {
        if ((underWay.get(name) ?? 0) < atATime[of]) continue
        throw tooManyTransfers(`At most ${atATime[of]} ${noun} of one ${of} at a time`, RETRY_SECONDS)
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

/** Token buckets: when each is full again says all of it. */
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

  /** 0 when there is one. */
  secondsUntilToken(name: string): number {
    const ahead = (this.#fullAt.get(name) ?? 0) - this.#now()
    return Math.max(0, Math.ceil((ahead - (this.#capacity - 1) * this.#msPerToken) / 1000))
  }

  take(name: string): void {
    const now = this.#now()
    if (this.#fullAt.size >= MAX_BUCKETS) this.#forgetFull(now)
    this.#fullAt.set(name, Math.max(now, this.#fullAt.get(name) ?? 0) + this.#msPerToken)
  }

  /** All, when none is full: a full bucket too many is better than memory without end. */
  #forgetFull(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name)
    if (this.#fullAt.size >= MAX_BUCKETS) this.#fullAt.clear()
  }
}

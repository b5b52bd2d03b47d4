import { LRUCache } from 'lru-cache'

/** More than this in an hour, and somebody should look: a reader that was just configured sends a few. */
const MANY = 100
const HALF_HOUR_MS = 30 * 60_000
/** Beyond this many, the organizations that were quiet for longest are dropped. */
const MAX_ORGS = 10_000

type Counts = { half: number; count: number; before: number }

/**
 * Counts unusable messages of each organization over the last half to full hour. A share over all organizations would
 * hide one that loses everything.
 */
export class UnusableMessages {
  readonly #counts = new LRUCache<number, Counts>({ max: MAX_ORGS })
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  note(orgId: number): void {
    const counts = this.#current(this.#counts.get(orgId))
    counts.count += 1
    this.#counts.set(orgId, counts)
  }

  /** Number of organizations with many. */
  organizations(): number {
    let found = 0
    for (const counts of this.#counts.values()) {
      const { count, before } = this.#current(counts)
      if (count + before > MANY) found += 1
    }
    return found
  }

  #current(known: Counts | undefined): Counts {
    const half = Math.floor(this.#now() / HALF_HOUR_MS)
    if (known?.half === half) return known
    return { half, count: 0, before: known?.half === half - 1 ? known.count : 0 }
  }
}

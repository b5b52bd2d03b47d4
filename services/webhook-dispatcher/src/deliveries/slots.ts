import { SLOW_MS, type AdaptiveConcurrency } from './adaptive-concurrency.ts'

/** Requests at once: to receivers that answer within a second, and to slow ones. */
export type SlotSizes = { well: number; slow: number }
type Share = keyof SlotSizes

/**
 * Limits the requests of a process, in two shares (ADR 22). A request that takes a second moves to the slow share while it
 * runs, so receivers that hang hold no place of the others for longer than that. Nothing waits here: what has no place
 * stays in the database.
 */
export class Slots {
  readonly #sizes: SlotSizes
  readonly #concurrency: AdaptiveConcurrency
  readonly #running: SlotSizes = { well: 0, slow: 0 }

  constructor(sizes: SlotSizes, concurrency: AdaptiveConcurrency) {
    this.#sizes = sizes
    this.#concurrency = concurrency
  }

  /** For metrics. */
  running(): SlotSizes {
    return { ...this.#running }
  }

  shareOf(endpoint: number): Share {
    return this.#concurrency.isSlow(endpoint) ? 'slow' : 'well'
  }

  /** Places that are free. A request that became slow may take more than there are. */
  free(share: Share): number {
    return Math.max(0, this.#sizes[share] - this.#running[share])
  }

  /** Runs a request in a place of the endpoint's share. */
  async use<T>(endpoint: number, request: () => Promise<T>): Promise<T> {
    let held = this.shareOf(endpoint)
    this.#running[held] += 1
    const becomeSlow = () => {
      this.#concurrency.markSlow(endpoint)
      this.#running[held] -= 1
      held = 'slow'
      this.#running[held] += 1
    }
    const timer = setTimeout(becomeSlow, SLOW_MS)
    try {
      return await request()
    } finally {
      clearTimeout(timer)
      this.#running[held] -= 1
    }
  }
}

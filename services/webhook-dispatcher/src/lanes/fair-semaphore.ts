/** Called once, with the semaphore whose slot the waiter now has. */
export type Waiter = (semaphore: FairSemaphore) => void

/**
 * A semaphore that serves the waiting organizations in turn. A waiter waits for as many others as there are
 * organizations, not requests.
 */
export class FairSemaphore {
  readonly #size: number
  #free: number
  /** Organizations in the order in which they get the next slots. */
  readonly #waiting = new Map<number, Set<Waiter>>()

  constructor(size: number) {
    this.#size = size
    this.#free = size
  }

  get running(): number {
    return this.#size - this.#free
  }

  get waiting(): number {
    let count = 0
    for (const waiters of this.#waiting.values()) count += waiters.size
    return count
  }

  /** Calls the waiter as soon as a slot is free, perhaps before this returns. */
  queue(orgId: number, waiter: Waiter): void {
    const waiters = this.#waiting.get(orgId) ?? new Set()
    this.#waiting.set(orgId, waiters.add(waiter))
    this.#grant()
  }

  /** Takes a slot even if none is free, for work that already runs. While overdrawn, the semaphore grants no slot. */
  overdraw(): void {
    this.#free -= 1
  }

  release(): void {
    this.#free += 1
    this.#grant()
  }

  remove(orgId: number, waiter: Waiter): void {
    const waiters = this.#waiting.get(orgId)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiting.delete(orgId)
  }

  /** Returns the waiters of an organization in order. */
  removeAll(orgId: number): Iterable<Waiter> {
    const waiters = this.#waiting.get(orgId) ?? []
    this.#waiting.delete(orgId)
    return waiters
  }

  #grant(): void {
    for (const [orgId, waiters] of this.#waiting) {
      if (this.#free <= 0) return
      this.#waiting.delete(orgId)
      const [next, ...others] = waiters
      if (others.length > 0) this.#waiting.set(orgId, new Set(others)) // at the end, after all other organizations
      this.#free -= 1
      next?.(this)
    }
  }
}

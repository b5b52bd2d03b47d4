/** Called once, with the share whose slot is now the waiter's. */
export type Waiter = (share: Share) => void

/**
 * A number of slots. Those who wait get the next free one by turns, one for each organization before the second of
 * any: whoever asks for one slot waits for as many others as there are organizations, not requests.
 */
export class Share {
  readonly #size: number
  #free: number
  /** In the order of their turns. */
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

  /** Waits for a slot, and gets a free one at once. */
  queue(orgId: number, waiter: Waiter): void {
    const waiters = this.#waiting.get(orgId) ?? new Set()
    this.#waiting.set(orgId, waiters.add(waiter))
    this.#grant()
  }

  /** A slot, free or not: whoever holds it is running already. Overdrawn, nobody else gets one. */
  take(): void {
    this.#free -= 1
  }

  giveBack(): void {
    this.#free += 1
    this.#grant()
  }

  remove(orgId: number, waiter: Waiter): void {
    const waiters = this.#waiting.get(orgId)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiting.delete(orgId)
  }

  /** All of an organization that wait, in order. */
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
      if (others.length > 0) this.#waiting.set(orgId, new Set(others)) // at the end: its next turn comes after all
      this.#free -= 1
      next?.(this)
    }
  }
}

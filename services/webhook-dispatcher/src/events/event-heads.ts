import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Db } from '../db.ts'
import { newestOf } from './events.queries.ts'

/** Pause between two looks, and after one that failed. */
const LOOK_MS = 250
const FAILED_MS = 2_000

type Waiter = { seq: number; wake: () => void }

/**
 * Wakes what waits for events of an organization. All of a process share one statement per look, so a wait holds no
 * connection, and what another replica has recorded is seen as well.
 */
export class EventHeads {
  readonly #across: Db
  readonly #log: Logger
  readonly #waiting = new Map<number, Set<Waiter>>()
  #isLooking = false
  #isStopped = false

  constructor(across: Db, log: Logger) {
    this.#across = across
    this.#log = log
  }

  /** Resolves when something was recorded after `seq`, when `signal` aborts, or when the process stops. */
  async moved(orgId: number, seq: number, signal: AbortSignal): Promise<void> {
    if (this.#isStopped || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { seq, wake: resolve }
    const ofOrg = this.#waiting.get(orgId) ?? new Set()
    this.#waiting.set(orgId, ofOrg.add(waiter))
    signal.addEventListener('abort', waiter.wake)
    if (!this.#isLooking) void this.#look()
    await promise
    signal.removeEventListener('abort', waiter.wake)
    ofOrg.delete(waiter)
    if (ofOrg.size === 0 && this.#waiting.get(orgId) === ofOrg) this.#waiting.delete(orgId)
  }

  /** Nothing waits any more from now on. */
  stop(): void {
    this.#isStopped = true
    for (const ofOrg of this.#waiting.values()) for (const { wake } of ofOrg) wake()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.size > 0) await delay(await this.#lookOnce(), undefined, { ref: false })
    this.#isLooking = false
  }

  async #lookOnce(): Promise<number> {
    try {
      const newest = await newestOf(this.#across, [...this.#waiting.keys()])
      for (const [orgId, ofOrg] of this.#waiting)
        for (const { seq, wake } of ofOrg) if (seq < (newest.get(orgId) ?? 0)) wake()
      return LOOK_MS
    } catch (error) {
      this.#log.warn({ err: error }, 'new events cannot be seen; will retry')
      return FAILED_MS
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Broker } from './connection.ts'
import { describeError, type Logger } from './logger.ts'
import { request } from './request.ts'

/** Where counts go. Every method must be cheap and must not throw. */
export type StateMetrics = {
  /** Another state could not be read. */
  found(): void
  /** Number of subjects whose newest state cannot be read. */
  remaining(count: number): void
}

type Options = {
  broker: Broker
  stream: string
  /**
   * Subject of a request with `{ subject }`, which makes the owner publish that state again. Nobody is asked if
   * undefined.
   */
  owner: string | undefined
  signal: AbortSignal
  logger: Logger
  metrics: StateMetrics | undefined
}

/** Further subjects are counted and not kept: an operator re-creates a stream that is broken as a whole. */
const MAX_REMEMBERED = 10_000
const ASK_TIMEOUT_MS = 5_000
const RETRY_MS = { first: 1_000, most: 60_000 }

/**
 * The subjects of a compacted stream whose state cannot be read. Asks their owner to publish each state again, one at a
 * time, until it is replaced.
 */
export class UnreadableStates {
  readonly #options: Options
  readonly #subjects = new Set<string>()
  #isAsking = false
  #wake = new AbortController()

  constructor(options: Options) {
    this.#options = options
  }

  get size(): number {
    return this.#subjects.size
  }

  found(subject: string): void {
    this.#options.metrics?.found()
    if (this.#subjects.size < MAX_REMEMBERED) this.#subjects.add(subject)
    this.#options.metrics?.remaining(this.#subjects.size)
    this.#wake.abort()
    if (this.#options.owner !== undefined && !this.#isAsking) void this.#askUntilReplaced(this.#options.owner)
  }

  /** The newest state of this subject is readable now. */
  replaced(subject: string): void {
    if (!this.#subjects.delete(subject)) return
    const { metrics, logger, stream } = this.#options
    metrics?.remaining(this.#subjects.size)
    logger.info({ stream, subject }, 'unreadable state was replaced')
  }

  /** The stream was re-created and is read from the start. */
  clear(): void {
    this.#subjects.clear()
    this.#options.metrics?.remaining(0)
  }

  async #askUntilReplaced(owner: string): Promise<void> {
    const { signal } = this.#options
    this.#isAsking = true
    let waitMs = RETRY_MS.first
    while (this.#subjects.size > 0 && !signal.aborted) {
      const woken = this.#wake.signal.aborted
      this.#wake = new AbortController()
      waitMs = woken ? RETRY_MS.first : Math.min(2 * waitMs, RETRY_MS.most)
      for (const subject of Array.from(this.#subjects)) {
        if (!signal.aborted && this.#subjects.has(subject)) await this.#ask(owner, subject)
      }
      const either = AbortSignal.any([signal, this.#wake.signal])
      await delay(waitMs, undefined, { signal: either }).catch(() => {}) // woken or stopped
    }
    this.#isAsking = false
  }

  async #ask(owner: string, subject: string): Promise<void> {
    const { broker, stream, logger, signal } = this.#options
    try {
      const answer = await request(broker, owner, { subject }, { timeoutMs: ASK_TIMEOUT_MS, signal })
      logger.info({ stream, subject, answer }, 'owner was asked for an unreadable state')
    } catch (error) {
      logger.warn({ stream, subject, reason: describeError(error) }, 'owner of a state could not be asked')
    }
  }
}

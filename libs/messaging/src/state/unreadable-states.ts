import { RepublishReply } from '@whereabouts/contracts/messages/republish-state'
import { setTimeout as delay } from 'node:timers/promises'
import type { Broker } from '../connect/connection.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { request } from '../messages/request.ts'

/** Where counts go. Every method must be cheap and must not throw. */
export type StateMetrics = {
  /** Another state could not be read. */
  found(): void
  /** Number of subjects whose newest state cannot be read. */
  remaining(count: number): void
}

export type Owner = {
  broker: Broker
  /** Subject of a request with `{ subject }`, which makes the owner publish that state again. */
  owner: string
  logger: Logger
}

const ASK_TIMEOUT_MS = 2_000

/**
 * Makes the owner of a state publish it again. False: the owner has no such state. Undefined: it did not answer. Never
 * rejects.
 */
export async function askOwner({ broker, owner, logger }: Owner, subject: string, signal?: AbortSignal) {
  try {
    const timeout = { timeoutMs: ASK_TIMEOUT_MS, ...(signal && { signal }) }
    const { published } = RepublishReply.parse(await request(broker, owner, { subject }, timeout))
    logger.info({ subject, published }, 'owner was asked for a state')
    return published
  } catch (error) {
    logger.warn({ subject, reason: describeError(error) }, 'owner of a state could not be asked')
    return undefined
  }
}

type Options = Pick<Owner, 'broker' | 'logger'> & {
  /** Nobody is asked if undefined. */
  owner: string | undefined
  signal: AbortSignal
  metrics: StateMetrics | undefined
}

/** Further subjects are counted and not kept: an operator re-creates a stream that is broken as a whole. */
const MAX_REMEMBERED = 10_000
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

  found(subject: string): void {
    const { metrics } = this.#options
    metrics?.found()
    if (this.#subjects.size < MAX_REMEMBERED) this.#subjects.add(subject)
    metrics?.remaining(this.#subjects.size)
    this.#wake.abort()
    if (!this.#isAsking) void this.#askUntilReplaced()
  }

  /** The newest state of this subject is readable now. */
  replaced(subject: string): void {
    if (!this.#subjects.delete(subject)) return
    this.#options.metrics?.remaining(this.#subjects.size)
    this.#options.logger.info({ subject }, 'unreadable state was replaced')
  }

  /** The stream was re-created and is read from the start. */
  clear(): void {
    this.#subjects.clear()
    this.#options.metrics?.remaining(0)
  }

  async #askUntilReplaced(): Promise<void> {
    const { owner, signal } = this.#options
    if (owner === undefined) return
    this.#isAsking = true
    let waitMs = RETRY_MS.first
    while (this.#subjects.size > 0 && !signal.aborted) {
      waitMs = this.#wake.signal.aborted ? RETRY_MS.first : Math.min(2 * waitMs, RETRY_MS.most)
      this.#wake = new AbortController()
      for (const subject of Array.from(this.#subjects))
        if (!signal.aborted && this.#subjects.has(subject))
          await askOwner({ ...this.#options, owner }, subject, signal)
      const either = AbortSignal.any([signal, this.#wake.signal])
      await delay(waitMs, undefined, { signal: either }).catch(() => {}) // woken or stopped
    }
    this.#isAsking = false
  }
}

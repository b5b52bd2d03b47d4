import { Requeued } from './requeued.ts'
import { onAbort } from '@whereabouts/service-kit/on-abort'
import { SLOW_MS, type AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { FairSemaphore } from './fair-semaphore.ts'

export type BulkheadSizes = { well: number; slow: number }

/**
 * Limits the requests of all lanes together, with two semaphores (ADR 22). Organizations whose receivers take a
 * second or longer use the slow one, and a request that becomes slow moves there while it runs. So no request holds a
 * slot of the other one for longer than a second, even if many receivers hang.
 */
export class Bulkheads {
  readonly #concurrency: AdaptiveConcurrency
  readonly #well: FairSemaphore
  readonly #slow: FairSemaphore

  constructor(sizes: BulkheadSizes, concurrency: AdaptiveConcurrency) {
    this.#concurrency = concurrency
    this.#well = new FairSemaphore(sizes.well)
    this.#slow = new FairSemaphore(sizes.slow)
  }

  /** For metrics. */
  sizes(): { running: BulkheadSizes; waiting: BulkheadSizes } {
    const [well, slow] = [this.#well, this.#slow]
    return {
      running: { well: well.running, slow: slow.running },
      waiting: { well: well.waiting, slow: slow.waiting },
    }
  }

  /**
   * Runs `work` in a slot. `work` calls `onStart` when its request starts: only that time can make it slow. Rejects
   * with Requeued if `stopping` aborts before `work` has a slot.
   */
  async use<T>(orgId: number, stopping: AbortSignal, work: (onStart: () => void) => Promise<T>): Promise<T> {
    let held = await this.#acquire(orgId, stopping)
    let timer: NodeJS.Timeout | undefined
    const becomeSlow = () => {
      this.#concurrency.markSlow(orgId)
      const before = held
      if (before === this.#well) this.#slow.overdraw() // because the request already runs
      held = this.#slow
      this.#moveWaiting(orgId)
      if (before === this.#well) this.#well.release()
    }
    try {
      return await work(() => (timer = setTimeout(becomeSlow, SLOW_MS)))
    } finally {
      clearTimeout(timer)
      held.release()
    }
  }

  /** Takes the result of an attempt. Waiting requests of the organization may now belong to the other semaphore. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    this.#concurrency.report(orgId, delivered, latencyMs)
    this.#moveWaiting(orgId)
  }

  #semaphoreFor(orgId: number): FairSemaphore {
    return this.#concurrency.isSlow(orgId) ? this.#slow : this.#well
  }

  #moveWaiting(orgId: number): void {
    const to = this.#semaphoreFor(orgId)
    const from = to === this.#slow ? this.#well : this.#slow
    for (const waiter of from.removeAll(orgId)) to.queue(orgId, waiter)
  }

  #acquire(orgId: number, stopping: AbortSignal): Promise<FairSemaphore> {
    return new Promise((resolve, reject) => {
      if (stopping.aborted) return reject(new Requeued())
      const requeue = () => {
        this.#well.remove(orgId, grant)
        this.#slow.remove(orgId, grant)
        reject(new Requeued())
      }
      const removeListener = onAbort(stopping, requeue)
      const grant = (semaphore: FairSemaphore) => {
        removeListener()
        resolve(semaphore)
      }
      this.#semaphoreFor(orgId).queue(orgId, grant)
    })
  }
}

import { Requeued } from './requeued.ts'
import { onAbort } from '../on-abort.ts'
import { SLOW_MS, type AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { FairSemaphore } from './fair-semaphore.ts'

export type BulkheadSizes = { well: number; slow: number }

/**
 * Limits the requests of all lanes together, in two shares (ADR 22). Organizations whose receivers take a second or
 * longer use the slow share, and a request that becomes slow moves there while it runs. So no request holds a slot of
 * the other share for longer than a second, however many receivers hang.
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
   * Runs `work` in a slot; it says when its request begins, from which on it may become slow. Rejects with Requeued
   * when `stopping` aborts before its turn.
   */
  async use<T>(
    orgId: number,
    stopping: AbortSignal,
    work: (beginning: () => void) => Promise<T>,
  ): Promise<T> {
    let share = await this.#turn(orgId, stopping)
    let timer: NodeJS.Timeout | undefined
    const outstay = () => {
      this.#concurrency.markSlow(orgId)
      const before = share
      if (before === this.#well) this.#slow.take() // even if none is left, because the request runs already
      share = this.#slow
      this.#regroup(orgId)
      if (before === this.#well) this.#well.giveBack()
    }
    try {
      return await work(() => (timer = setTimeout(outstay, SLOW_MS)))
    } finally {
      clearTimeout(timer)
      share.giveBack()
    }
  }

  /** An attempt of the organization has ended: what of it waits may now belong to the other share. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    this.#concurrency.report(orgId, delivered, latencyMs)
    this.#regroup(orgId)
  }

  #shareOf(orgId: number): FairSemaphore {
    return this.#concurrency.isSlow(orgId) ? this.#slow : this.#well
  }

  #regroup(orgId: number): void {
    const to = this.#shareOf(orgId)
    const from = to === this.#slow ? this.#well : this.#slow
    for (const waiter of from.removeAll(orgId)) to.queue(orgId, waiter)
  }

  #turn(orgId: number, stopping: AbortSignal): Promise<FairSemaphore> {
    return new Promise((resolve, reject) => {
      if (stopping.aborted) return reject(new Requeued())
      const giveUp = () => {
        this.#well.remove(orgId, go)
        this.#slow.remove(orgId, go)
        reject(new Requeued())
      }
      const takeBack = onAbort(stopping, giveUp)
      const go = (share: FairSemaphore) => {
        takeBack()
        resolve(share)
      }
      this.#shareOf(orgId).queue(orgId, go)
    })
  }
}

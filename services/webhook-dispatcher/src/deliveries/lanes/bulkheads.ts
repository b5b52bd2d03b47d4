import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import { SLOW_MS, type AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { Requeued } from './requeued.ts'

export type BulkheadSizes = { well: number; slow: number }

type Gate = FairGate<number>

/** One organization may use all: `AdaptiveConcurrency` bounds its requests, and its lane those that wait. */
const gateOf = (size: number): Gate => new FairGate({ running: size, runningPerKey: Infinity })

/**
 * Limits the requests of all lanes together, with two gates (ADR 22). Organizations whose receivers take a second or
 * longer use the slow one, and a request that becomes slow moves there while it runs. So no request holds a place of
 * the other one for longer than a second, even if many receivers hang.
 */
export class Bulkheads {
  readonly #concurrency: AdaptiveConcurrency
  readonly #well: Gate
  readonly #slow: Gate

  constructor(sizes: BulkheadSizes, concurrency: AdaptiveConcurrency) {
    this.#concurrency = concurrency
    this.#well = gateOf(sizes.well)
    this.#slow = gateOf(sizes.slow)
  }

  /** For metrics. */
  sizes(): { running: BulkheadSizes; waiting: BulkheadSizes } {
    const [well, slow] = [this.#well.sizes(), this.#slow.sizes()]
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
    let held = await this.#enter(orgId, stopping)
    let timer: NodeJS.Timeout | undefined
    const becomeSlow = () => {
      this.#concurrency.markSlow(orgId)
      const before = held
      if (before === this.#well) this.#slow.take(orgId) // because the request already runs
      held = this.#slow
      this.#moveWaiting(orgId)
      if (before === this.#well) this.#well.leave(orgId)
    }
    try {
      return await work(() => (timer = setTimeout(becomeSlow, SLOW_MS)))
    } finally {
      clearTimeout(timer)
      held.leave(orgId)
    }
  }

  /** Takes the result of an attempt. Waiting requests of the organization may now belong to the other gate. */
  report(orgId: number, delivered: boolean, latencyMs: number): void {
    this.#concurrency.report(orgId, delivered, latencyMs)
    this.#moveWaiting(orgId)
  }

  #gateFor(orgId: number): Gate {
    return this.#concurrency.isSlow(orgId) ? this.#slow : this.#well
  }

  #moveWaiting(orgId: number): void {
    const to = this.#gateFor(orgId)
    const from = to === this.#slow ? this.#well : this.#slow
    from.moveWaiting(orgId, to)
  }

  async #enter(orgId: number, stopping: AbortSignal): Promise<Gate> {
    const gate = this.#gateFor(orgId)
    try {
      return (await gate.enter(orgId, { signal: stopping })) ?? gate
    } catch (error) {
      throw stopping.aborted ? new Requeued() : error
    }
  }
}

import { HandedBack } from './handed-back.ts'
import { onAbort } from './on-abort.ts'
import { SLOW_MS, type Paces } from './paces.ts'
import { Share } from './share.ts'

export type SlotCounts = { well: number; slow: number }

/**
 * The requests of all lanes together, in two shares (ADR 22). Organizations whose receivers keep a request for a
 * second or longer draw from the share of the slow ones, and a request that turns out to be slow moves there while it
 * runs. So nobody holds a slot of the other share for longer than that second, however many receivers hang.
 */
export class Slots {
  readonly #paces: Paces
  readonly #well: Share
  readonly #slow: Share

  constructor(sizes: SlotCounts, paces: Paces) {
    this.#paces = paces
    this.#well = new Share(sizes.well)
    this.#slow = new Share(sizes.slow)
  }

  /** For metrics. */
  sizes(): { running: SlotCounts; waiting: SlotCounts } {
    const [well, slow] = [this.#well, this.#slow]
    return {
      running: { well: well.running, slow: slow.running },
      waiting: { well: well.waiting, slow: slow.waiting },
    }
  }

  /**
   * Runs `work` in a slot; it says when its request begins, from which on it may become slow. Rejects with HandedBack
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
      this.#paces.markSlow(orgId)
      const before = share
      if (before === this.#well) this.#slow.take() // though there may be none left: it runs and cannot be stopped
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
    this.#paces.report(orgId, delivered, latencyMs)
    this.#regroup(orgId)
  }

  #shareOf(orgId: number): Share {
    return this.#paces.isSlow(orgId) ? this.#slow : this.#well
  }

  #regroup(orgId: number): void {
    const to = this.#shareOf(orgId)
    const from = to === this.#slow ? this.#well : this.#slow
    for (const waiter of from.removeAll(orgId)) to.queue(orgId, waiter)
  }

  #turn(orgId: number, stopping: AbortSignal): Promise<Share> {
    return new Promise((resolve, reject) => {
      if (stopping.aborted) return reject(new HandedBack())
      const giveUp = () => {
        this.#well.remove(orgId, go)
        this.#slow.remove(orgId, go)
        reject(new HandedBack())
      }
      const takeBack = onAbort(stopping, giveUp)
      const go = (share: Share) => {
        takeBack()
        resolve(share)
      }
      this.#shareOf(orgId).queue(orgId, go)
    })
  }
}

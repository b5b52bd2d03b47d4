import { natsOf, type Broker } from './connection.ts'
import type { FairShare } from './consumer.ts'
import { Delivery } from './delivery.ts'
import { FairQueue } from './fair-queue.ts'
import { bytesAtATime } from './fair-share.ts'
import { startPull } from './pull.ts'

export type IntakeOptions = {
  stream: string
  consumer: string
  /** Bound of the buffer; what is being handled comes on top. */
  capacity: number
  /** Left out: first in, first out. */
  fair?: FairShare | undefined
  onTrouble: (reason: string) => void
}

/** Deliveries waiting for their turn: bounded, filled in the background, emptied by one reader. */
export class Intake {
  readonly #pull: { ask(): void; stop(): void }
  readonly #fair: FairShare | undefined
  readonly #queue = new FairQueue()
  #closed = false
  #waiting: { count: number; wake(): void } | undefined
  /** Messages the consumer had yet to deliver when the last one arrived. */
  pending = 0

  constructor(broker: Broker, { stream, consumer, capacity, fair, onTrouble }: IntakeOptions) {
    const nc = natsOf(broker)
    this.#fair = fair
    const overflow = fair?.overflow
    this.#pull = startPull(broker, {
      stream,
      consumer,
      capacity,
      onTrouble,
      held: () => this.#queue.length + (overflow?.moving ?? 0),
      heldBytes: () => this.#queue.bytes + (overflow?.movingBytes ?? 0),
      onMessage: (msg, info) => {
        this.pending = info.pending
        this.#arrive(new Delivery(nc, msg, info))
      },
    })
    overflow?.onMoved(() => this.#pull.ask())
  }

  /** Waiting, those of each group oldest first. */
  get buffered(): Iterable<Delivery> {
    return this.#queue
  }

  #arrive(delivery: Delivery): void {
    const fair = this.#fair
    delivery.group = fair?.groupOf(delivery) ?? ''
    if (fair?.admit?.(delivery) === false) return delivery.ack()
    if (fair?.overflow?.take(delivery, this.#queue)) return
    this.#queue.push(delivery)
    fair?.overflow?.hold(delivery.group)
    this.#wakeIfEnough()
  }

  /**
   * The next deliveries, groups by turns: as soon as there are `max`, or `maxWaitMs` after the first of them arrived; of these
   * only so many that the last one reaches `maxBytes`. Empty only when closed.
   */
  async next(max: number, maxWaitMs: number, maxBytes = Number.POSITIVE_INFINITY): Promise<Delivery[]> {
    while (!this.#closed && this.#queue.length < max) {
      const first = this.#queue.oldestArrival
      const leftMs = first === undefined ? undefined : first + maxWaitMs - Date.now()
      if (leftMs !== undefined && leftMs <= 0) break
      await this.#change(first === undefined ? 1 : max, leftMs)
    }
    const groups = this.#fair?.overflow
    const bytes = groups ? bytesAtATime(maxBytes, this.#queue, groups) : maxBytes
    const taken = this.#closed ? [] : this.#queue.take(max, bytes)
    this.#pull.ask()
    return taken
  }

  /** Stops pulling, ends a waiting `next`, and hands over what nobody will take any more. */
  close(): Delivery[] {
    this.#closed = true
    this.#pull.stop()
    this.#waiting?.wake()
    return this.#queue.clear()
  }

  #change(count: number, leftMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = leftMs === undefined ? undefined : setTimeout(() => this.#waiting?.wake(), leftMs)
      const wake = () => {
        clearTimeout(timer)
        this.#waiting = undefined
        resolve()
      }
      this.#waiting = { count, wake }
    })
  }

  #wakeIfEnough(): void {
    if (this.#waiting && this.#queue.length >= this.#waiting.count) this.#waiting.wake()
  }
}

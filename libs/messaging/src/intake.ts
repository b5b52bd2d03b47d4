import { natsOf, type Broker } from './connection.ts'
import { Delivery } from './delivery.ts'
import { startPull } from './pull.ts'

export type IntakeOptions = {
  stream: string
  consumer: string
  /** Bound of the buffer; what is being handled comes on top. */
  capacity: number
  onTrouble: (reason: string) => void
}

/** Deliveries waiting for their turn: bounded, filled in the background, emptied by one reader. */
export class Intake {
  readonly #pull: { ask(): void; stop(): void }
  readonly #buffer: Delivery[] = []
  #bytes = 0
  #closed = false
  #waiting: { count: number; wake(): void } | undefined
  /** Messages the consumer had yet to deliver when the last one arrived. */
  pending = 0

  constructor(broker: Broker, { stream, consumer, capacity, onTrouble }: IntakeOptions) {
    const nc = natsOf(broker)
    this.#pull = startPull(broker, {
      stream,
      consumer,
      capacity,
      onTrouble,
      held: () => this.#buffer.length,
      heldBytes: () => this.#bytes,
      onMessage: (msg, info) => {
        this.pending = info.pending
        this.#buffer.push(new Delivery(nc, msg, info))
        this.#bytes += msg.data.length
        this.#wakeIfEnough()
      },
    })
  }

  /** Waiting, oldest first. */
  get buffered(): readonly Delivery[] {
    return this.#buffer
  }

  /**
   * The next deliveries in order: as soon as there are `max`, or `maxWaitMs` after the first of them arrived; of these
   * only so many that the last one reaches `maxBytes`. Empty only when closed.
   */
  async next(max: number, maxWaitMs: number, maxBytes = Number.POSITIVE_INFINITY): Promise<Delivery[]> {
    while (!this.#closed && this.#buffer.length < max) {
      const first = this.#buffer[0]
      const leftMs = first && first.arrivedAt + maxWaitMs - Date.now()
      if (leftMs !== undefined && leftMs <= 0) break
      await this.#change(first ? max : 1, leftMs)
    }
    const taken = this.#closed ? [] : this.#buffer.splice(0, countWithin(this.#buffer, max, maxBytes))
    for (const { data } of taken) this.#bytes -= data.length
    this.#pull.ask()
    return taken
  }

  /** Stops pulling, ends a waiting `next`, and hands over what nobody will take any more. */
  close(): Delivery[] {
    this.#closed = true
    this.#pull.stop()
    this.#waiting?.wake()
    return this.#buffer.splice(0)
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
    if (this.#waiting && this.#buffer.length >= this.#waiting.count) this.#waiting.wake()
  }
}

/** How many of the first `max` it takes to reach `maxBytes`; all of them when they do not. */
function countWithin(deliveries: readonly Delivery[], max: number, maxBytes: number): number {
  let bytes = 0
  for (const [i, delivery] of deliveries.entries()) {
    bytes += delivery.data.length
    if (i + 1 === max || bytes >= maxBytes) return i + 1
  }
  return deliveries.length
}

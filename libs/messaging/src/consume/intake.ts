import { natsOf, type Broker } from '../connect/connection.ts'
import type { FairShare } from './consumer.ts'
import { Delivery } from '../messages/delivery.ts'
import { FairQueue, type MayTake } from './fair-queue.ts'
import { bytesAtATime } from './fair-share.ts'
import { startPull, type Pull } from './pull.ts'

export type IntakeOptions = {
  stream: string
  consumer: string
  /** Bounds of the buffer. Messages that are being handled are not counted. */
  capacity: number
  capacityBytes?: number | undefined
  /** Left out: first in, first out. */
  fair?: FairShare | undefined
  group?: string | undefined
  onTrouble: (reason: string) => void
}

/** Which deliveries a caller wants. */
export type Want = {
  max: number
  /** How long to wait for `max`, counted from when deliveries were last taken. */
  maxWaitMs: number
  /** Counted from the arrival of the first. */
  alwaysWaits?: boolean | undefined
  /** The batch ends with the delivery that reaches this size. No bound when left out. */
  maxBytes?: number | undefined
  /** Any group when left out. Call `recheck` when its answers change. */
  mayTake?: MayTake | undefined
}

type Waiter = { mayTake: MayTake; count: number; wake: () => void }

/**
 * Bounded buffer of deliveries. It is filled in the background and emptied by one reader, or by one reader per track.
 */
export class Intake {
  readonly #pull: Pull
  readonly #fair: FairShare | undefined
  readonly #queue = new FairQueue()
  #inherited: { isOn: boolean; deliveries: Delivery[]; bytes: number } = {
    isOn: false,
    deliveries: [],
    bytes: 0,
  }
  #closed = false
  #takenAt = 0
  readonly #waiters = new Set<Waiter>()
  /** Messages that the consumer had not delivered yet when the last one arrived. */
  pending = 0

  constructor(broker: Broker, { stream, consumer, fair, ...options }: IntakeOptions) {
    const nc = natsOf(broker)
    this.#fair = fair
    const overflow = fair?.overflow
    this.#pull = startPull(broker, {
      stream,
      consumer,
      ...options,
      held: () => this.#queue.length + (overflow?.moving ?? 0),
      heldBytes: () => this.#queue.bytes + (overflow?.movingBytes ?? 0) + this.#inherited.bytes,
      onOwned: () => (this.#inherited.isOn = true),
      onQuiet: () => this.#sortInherited(),
      onMessage: (msg, info) => {
        this.pending = info.pending
        overflow?.arrived(info.pending)
        const delivery = new Delivery(nc, msg, info)
        if (this.#inherited.isOn && delivery.deliveryCount > 1) return this.#inherit(delivery)
        this.#sortInherited()
        this.#arrive(delivery)
      },
    })
    overflow?.onMoved(() => this.#pull.ask())
  }

  /** What a dead owner held comes first, and in any order. Its messages are handled once all are here. */
  #inherit(delivery: Delivery): void {
    this.#inherited.deliveries.push(delivery)
    this.#inherited.bytes += delivery.data.length
  }

  #sortInherited(): void {
    if (!this.#inherited.isOn) return
    const { deliveries } = this.#inherited
    this.#inherited = { isOn: false, deliveries: [], bytes: 0 }
    for (const delivery of deliveries.toSorted((a, b) => a.streamSeq - b.streamSeq)) this.#arrive(delivery)
  }

  /** The buffered deliveries; within a group the oldest first. */
  get buffered(): Iterable<Delivery> {
    return [...this.#queue, ...this.#inherited.deliveries]
  }

  #arrive(delivery: Delivery): void {
    const fair = this.#fair
    delivery.group = fair?.groupOf(delivery) ?? ''
    if (fair?.admit?.(delivery) === false) return delivery.ack()
    if (fair?.overflow?.take(delivery, this.#queue)) return
    this.#queue.push(delivery)
    fair?.overflow?.hold(delivery.group)
    this.#wakeIfEnough(delivery.group)
  }

  /**
   * The next deliveries; groups take turns. Resolves when there are `max`, or one and `maxWaitMs` are over. Empty only
   * after `close`.
   */
  async next({ max, maxWaitMs, alwaysWaits, maxBytes, mayTake = anyGroup }: Want): Promise<Delivery[]> {
    while (!this.#closed) {
      const { count, since } = this.#queue.waiting(mayTake)
      const from = count === 0 || alwaysWaits ? since : Math.min(since, this.#takenAt)
      const leftMs = from + maxWaitMs - Date.now()
      if (count >= max || leftMs <= 0) break
      await this.#change(mayTake, count === 0 ? 1 : max, leftMs)
    }
    return this.take(max, maxBytes, mayTake)
  }

  /** Like `next`, without waiting: the deliveries that have arrived. */
  take(max: number, maxBytes = Number.POSITIVE_INFINITY, mayTake: MayTake = anyGroup): Delivery[] {
    const groups = this.#fair?.overflow
    const bytes = groups ? bytesAtATime(maxBytes, this.#queue, groups) : maxBytes
    const taken = this.#closed ? [] : this.#queue.take(max, bytes, mayTake)
    if (taken.length > 0) this.#takenAt = Date.now()
    this.#pull.ask()
    return taken
  }

  /** Moves what waits of a group to OVERFLOW. */
  setAside(group: string): void {
    const overflow = this.#fair?.overflow
    for (const delivery of this.#queue.remove(group))
      if (overflow?.move(delivery)) overflow.release(group)
      else this.#queue.push(delivery)
  }

  /** Call it when `mayTake` allows other groups than before. */
  recheck(): void {
    for (const { wake } of this.#waiters) wake()
  }

  /** Stops pulling, ends a waiting `next`, and returns the deliveries that nobody has taken. */
  close(): Delivery[] {
    this.#closed = true
    this.#pull.stop()
    this.recheck()
    this.#sortInherited()
    return this.#queue.clear()
  }

  /** Of a durable with an owner: whether that is this process. */
  get isOwner(): boolean {
    return this.#pull.isOwner()
  }

  /** Hands out nothing more. Resolves with the deliveries that nobody has taken, once no more can arrive. */
  async drain(): Promise<Delivery[]> {
    this.#closed = true
    this.recheck()
    await this.#pull.drain()
    return this.close()
  }

  #change(mayTake: MayTake, count: number, leftMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(leftMs) ? setTimeout(() => waiter.wake(), leftMs) : undefined
      const waiter = {
        mayTake,
        count,
        wake: () => {
          clearTimeout(timer)
          this.#waiters.delete(waiter)
          resolve()
        },
      }
      this.#waiters.add(waiter)
    })
  }

  #wakeIfEnough(group: string): void {
    for (const { mayTake, count, wake } of this.#waiters)
      if (this.#queue.length >= count && mayTake(group)) wake()
  }
}

const anyGroup: MayTake = () => true

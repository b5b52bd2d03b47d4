import type { FairShare } from './consumer.ts'
import type { Delivery } from '../messages/delivery.ts'
import { FairQueue, type MayTake } from './fair-queue.ts'
import { bytesAtATime } from './fair-share.ts'
import type { Source } from './source.ts'

export type IntakeOptions = {
  /** Bounds of the buffer. Messages that are being handled are not counted. */
  capacity: number
  capacityBytes: number
  /** Left out: first in, first out. */
  fair?: FairShare | undefined
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
 * Bounded buffer of deliveries of several sources. It is filled in the background and emptied by one reader, or by one reader per
 * track.
 */
export class Intake {
  readonly #options: IntakeOptions
  readonly #fair: FairShare | undefined
  readonly #sources = new Set<Source>()
  readonly #queue = new FairQueue()
  #closed = false
  #takenAt = 0
  readonly #waiters = new Set<Waiter>()

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#fair = options.fair
    this.#fair?.overflow?.onMoved(() => this.#ask())
  }

  /** The buffer is for all sources. Each has an equal share of it beside that, so that a flood of one does not stop the others. */
  room(source: Source): number {
    const { capacity, capacityBytes } = this.#options
    const [own, all] = [this.#heldOf(source), { messages: 0, bytes: 0 }]
    for (const each of this.#sources) {
      const { messages, bytes } = this.#heldOf(each)
      all.messages += messages
      all.bytes += bytes
    }
    if (all.bytes >= capacityBytes && own.bytes >= this.#share(capacityBytes)) return 0
    return Math.max(capacity - all.messages, this.#share(capacity) - own.messages)
  }

  /** What waits here, and what is on its way to OVERFLOW. */
  #heldOf({ held, heldBytes, stream }: Source): { messages: number; bytes: number } {
    const moving = this.#fair?.overflow?.movingOf(stream)
    return { messages: held + (moving?.messages ?? 0), bytes: heldBytes + (moving?.bytes ?? 0) }
  }

  /** Half of a share: one request per message would cost more than the message. */
  get leastRoom(): number {
    return Math.max(1, this.#share(this.#options.capacity) / 2)
  }

  #share(all: number): number {
    return Math.ceil(all / Math.max(1, this.#sources.size))
  }

  #ask(): void {
    for (const source of this.#sources) source.ask()
  }

  /** The buffered deliveries; within a group the oldest first. */
  get buffered(): Iterable<Delivery> {
    return [...this.#queue, ...[...this.#sources].flatMap(({ inherited }) => inherited)]
  }

  /** Messages of all sources that were not delivered yet. */
  get pending(): number {
    return [...this.#sources].reduce((sum, source) => sum + source.pending, 0)
  }

  add(source: Source): void {
    this.#sources.add(source)
  }

  /** Removes a source. Returns its deliveries that nobody has taken. */
  remove(source: Source): Delivery[] {
    this.#sources.delete(source)
    const left = this.#queue.removeIf((delivery) => delivery.source === source)
    for (const { group } of left) this.#fair?.overflow?.release(group)
    this.#ask()
    return [...left, ...source.inherited]
  }

  arrive(delivery: Delivery): void {
    const { source } = delivery
    const fair = this.#fair
    fair?.overflow?.arrived(source.stream, source.pending)
    delivery.group = fair?.groupOf(delivery) ?? ''
    if (fair?.admit?.(delivery) === false) {
      source.hold(delivery, -1)
      return delivery.ack()
    }
    if (fair?.overflow?.take(delivery, this.#queue)) return source.hold(delivery, -1)
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
    for (const delivery of taken) delivery.source.hold(delivery, -1)
    this.#ask()
    return taken
  }

  /** Moves what waits of a group to OVERFLOW. */
  setAside(group: string): void {
    const overflow = this.#fair?.overflow
    for (const delivery of this.#queue.remove(group))
      if (overflow?.move(delivery)) {
        delivery.source.hold(delivery, -1)
        overflow.release(group)
      } else this.#queue.push(delivery)
  }

  /** Call it when `mayTake` allows other groups than before. */
  recheck(): void {
    for (const { wake } of this.#waiters) wake()
  }

  /** Hands out nothing more, and ends a waiting `next`. */
  close(): void {
    this.#closed = true
    this.recheck()
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

import type { Broker } from '../connect/connection.ts'
import type { Delivery } from '../messages/delivery.ts'
import { streamOf } from '../connect/numbers.ts'
import { isOverShare } from './fair-share.ts'
import type { FairQueue } from './fair-queue.ts'
import type { Logger } from '../connect/logger.ts'
import { OverflowStream, pause } from './overflow-stream.ts'
import type { Partition } from './source.ts'

export type OverflowOptions = {
  logger: Logger
  /** A group whose first message has waited for less than this is not moved: moving costs more. 250 when left out. */
  afterMs?: number
  /** Called with the number of messages that have just been stored in OVERFLOW. */
  onStored?: (count: number) => void
}

const AFTER_MS = 250
/** How long work on OVERFLOW waits until no other group has messages here. */
const WAIT_FOR_OTHERS_MS = 100
/** How often it repeats that wait while the consumer lags behind its stream, where messages of other groups may be. */
const WAITS_BEHIND = 10
/**
 * If another group was heard within this time, work on OVERFLOW pauses for as long as it has just worked: half of the
 * time is for others.
 */
const OTHERS_ACTIVE_MS = 1_000
const LONGEST_REST_MS = 100

/**
 * Moves the messages of a group beyond its share from the stream of a consumer to OVERFLOW, unread, so that other
 * groups do not wait behind them. A message is acknowledged only after OVERFLOW has stored it. While OVERFLOW is
 * full, messages are held. While OVERFLOW has messages of a group, its new messages go there too, so their order is
 * kept. For one consumer of a process, and for all partitions that it consumes: each has its own stream.
 *
 * Without it, three organizations within their limits delay the scans of all others by 27 s after 12 s (ADR 69).
 */
export class Overflow {
  readonly #broker: Broker
  readonly #options: OverflowOptions
  readonly #stopping = new AbortController()
  /** By the stream whose messages go there. */
  readonly #streams = new Map<string, OverflowStream>()
  #isOwned = false
  /** Messages of each group that wait or are handled in this process. */
  readonly #held = new Map<string, number>()
  #heldTotal = 0
  /** Of each stream, the messages that the consumer has not delivered yet. */
  readonly #pending = new Map<string, number>()
  #arrivedAt = 0
  /** When the last message arrived that does not go to OVERFLOW. */
  #othersAt = 0
  /** When the last turn of work on OVERFLOW began. */
  #turnAt = 0
  readonly #waiters = new Set<() => void>()
  readonly #listeners: (() => void)[] = []

  constructor(broker: Broker, options: OverflowOptions) {
    this.#broker = broker
    this.#options = options
  }

  /**
   * Moves messages of this partition too, or of the one stream. Resolves when it is known which groups have messages in OVERFLOW.
   * Start consuming after that.
   */
  async add(partition: Partition, stopping?: AbortSignal): Promise<{ stop(): Promise<void> }> {
    const { logger, onStored } = this.#options
    const onMoved = () => this.#listeners.forEach((listener) => listener())
    const stream = new OverflowStream(this.#broker, { logger, partition, onStored, onMoved })
    const close = () => stream.close()
    stopping?.addEventListener('abort', close, { once: true })
    await stream.start()
    stopping?.removeEventListener('abort', close)
    const name = streamOf('SCANS', partition ?? 0)
    this.#streams.set(name, stream)
    this.#isOwned = partition !== undefined
    return {
      stop: () => {
        this.leave(name)
        return stream.stop()
      },
    }
  }

  /** Moves nothing more of a stream. Returns the messages that were on their way and are not stored yet. */
  leave(stream: string): Delivery[] {
    const left = this.#streams.get(stream)?.close() ?? []
    this.#streams.delete(stream)
    this.#pending.delete(stream)
    this.#wake()
    return left
  }

  /** Of partitions, whose messages all come to this process. */
  get isOwned(): boolean {
    return this.#isOwned
  }

  /** True while new messages of the group go to OVERFLOW. */
  isOpen(group: string): boolean {
    return this.#streams.values().some((stream) => stream.isOpen(group))
  }

  /**
   * True while a group has more in OVERFLOW than is free there: one group can fill a half, two a third each. By the sizes
   * of the messages that this process has moved.
   */
  isShareUsed(group: string): boolean {
    return this.#streams.values().some((stream) => stream.isShareUsed(group))
  }

  /** Number of active groups whose messages do not go to OVERFLOW. */
  get active(): number {
    return this.#streams.values().reduce((sum, { active }) => sum + active, 0)
  }

  /** For the intake: how many messages of a stream are on their way to OVERFLOW, and their bytes. */
  movingOf(stream: string): { messages: number; bytes: number } {
    return this.#streams.get(stream)?.moving ?? { messages: 0, bytes: 0 }
  }
  /** The messages on their way, which the broker must not redeliver meanwhile. */
  get waiting(): readonly Delivery[] {
    return [...this.#streams.values()].flatMap(({ waiting }) => waiting)
  }
  /** Calls back when messages have been moved, so that there is room again. */
  onMoved(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Takes a message that has just arrived if it belongs into OVERFLOW. `queue` has the waiting messages. */
  take(delivery: Delivery, queue: Pick<FairQueue, 'costOf' | 'countFrom' | 'waitingSince'>): boolean {
    const { group, arrivedAt, source } = delivery
    const stream = this.#streams.get(source.stream)
    if (!stream) return false
    stream.heard(delivery)
    const cost = queue.costOf(group)
    const waitedMs = arrivedAt - (queue.waitingSince(group) ?? arrivedAt)
    const isSlow = waitedMs >= (this.#options.afterMs ?? AFTER_MS)
    if (!stream.isOpen(group) && !(isSlow && isOverShare(cost, queue, this))) {
      this.#othersAt = arrivedAt
      return false
    }
    return stream.move(delivery)
  }

  /** Moves a message. False if that is not possible. */
  move(delivery: Delivery): boolean {
    return this.#streams.get(delivery.source.stream)?.move(delivery) ?? false
  }

  /** For the intake: a message of a stream arrived, and `pending` more are behind it. */
  arrived(stream: string, pending: number): void {
    this.#pending.set(stream, pending)
    this.#arrivedAt = Date.now()
    if (pending === 0) this.#wake()
  }

  /**
   * For the intake and the run: a message of the group waits in this process (`hold`), or no longer does (`release`).
   */
  hold(group: string): void {
    this.#held.set(group, (this.#held.get(group) ?? 0) + 1)
    this.#heldTotal += 1
  }
  release(group: string): void {
    const left = (this.#held.get(group) ?? 0) - 1
    if (left > 0) this.#held.set(group, left)
    else this.#held.delete(group)
    this.#heldTotal = Math.max(0, this.#heldTotal - 1)
    this.#wake()
  }

  /**
   * Resolves when messages of these groups from OVERFLOW may be handled: the messages received before them are done,
   * and no other group has work, or has had enough time, and `restMs` are over. Rejects when `signal` aborts.
   */
  async turn(groups: Iterable<string>, signal: AbortSignal, restMs = 0): Promise<void> {
    const own = [...new Set(groups)]
    await this.#rest(signal, restMs)
    await this.#until(() => own.every((group) => !this.#held.has(group)), signal)
    for (let waits = 0; waits < WAITS_BEHIND && this.#isBehind(); waits += 1)
      await this.#shortly(() => !this.#hasPending(), signal)
    await this.#shortly(() => this.#heldTotal === 0, signal)
    this.#turnAt = Date.now()
  }

  async #rest(signal: AbortSignal, leastMs: number): Promise<void> {
    const now = Date.now()
    const forOthers =
      now - this.#othersAt < OTHERS_ACTIVE_MS ? Math.min(now - this.#turnAt, LONGEST_REST_MS) : 0
    const restMs = Math.max(leastMs, forOthers)
    if (restMs > 0) await pause(restMs, AbortSignal.any([signal, this.#stopping.signal]))
  }

  #hasPending(): boolean {
    return this.#pending.values().some((pending) => pending > 0)
  }

  /** False if nothing has arrived for a while: other replicas may have received the pending messages. */
  #isBehind(): boolean {
    return this.#hasPending() && Date.now() - this.#arrivedAt < WAIT_FOR_OTHERS_MS
  }

  async #shortly(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const enough = AbortSignal.any([signal, AbortSignal.timeout(WAIT_FOR_OTHERS_MS)])
    await this.#until(isSo, enough).catch(() => signal.throwIfAborted())
  }

  /** Ends all waits for a turn. */
  close(): void {
    this.#stopping.abort()
    this.#wake()
  }

  async stop(): Promise<void> {
    this.close()
    const streams = [...this.#streams]
    for (const [name] of streams) this.leave(name)
    await Promise.all(streams.map(([, stream]) => stream.stop()))
  }

  #wake(): void {
    for (const recheck of this.#waiters) recheck()
  }

  #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal
    return new Promise((resolve, reject) => {
      const recheck = () => {
        if (signal.aborted) end(() => reject(signal.reason as Error))
        else if (stopping.aborted || isSo()) end(resolve)
      }
      const end = (settle: () => void) => {
        this.#waiters.delete(recheck)
        signal.removeEventListener('abort', recheck)
        settle()
      }
      this.#waiters.add(recheck)
      signal.addEventListener('abort', recheck, { once: true })
      recheck()
    })
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from '../connect/connection.ts'
import { HEADER_ROOM } from '../dead-letters/dead-letters.ts'
import type { Delivery } from '../messages/delivery.ts'
import { isOverShare } from './fair-share.ts'
import type { FairQueue } from './fair-queue.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { publishMany } from '../messages/publish.ts'
import { asOverflow } from '../messages/replayed.ts'
import { overflowPrefix } from '../connect/topology.ts'
import { streamOf } from '../connect/numbers.ts'

export type OverflowOptions = {
  logger: Logger
  /** A group whose first message has waited for less than this is not moved: moving costs more. 250 when left out. */
  afterMs?: number
  /** Of a partition, the first one when left out. */
  partition?: number | undefined
  /** Called with the number of messages that have just been stored in OVERFLOW. */
  onStored?: (count: number) => void
}

/** A group that was heard within this time is active: no flood may delay it. */
const ACTIVE_MS = 60_000
const AFTER_MS = 250
const POLL_MS = 500
const RETRY_MS = 250
/** Messages are sent in chunks of this size. Other work runs while the answers are awaited. */
const CHUNK = { messages: 64, bytes: 512 * 1024 }
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
const TOKEN = /^[0-9A-Za-z_-]{1,64}$/

/**
 * Moves the messages of a group beyond its share from the stream of a consumer to OVERFLOW, unread, so that other
 * groups do not wait behind them. A message is acknowledged only after OVERFLOW has stored it. While OVERFLOW is
 * full, messages are held. While OVERFLOW has messages of a group, its new messages go there too, so their order is
 * kept. For one consumer of a process.
 *
 * Without it, three organizations within their limits delay the scans of all others by 27 s after 12 s (ADR 69).
 */
export class Overflow {
  readonly #broker: Broker
  readonly #options: OverflowOptions
  readonly #stream: string
  readonly #prefix: string
  readonly #stopping = new AbortController()
  /** Groups whose messages go to OVERFLOW, with the number of the newest poll when the last of their messages went. */
  readonly #open = new Map<string, number>()
  /** When each group was last heard. */
  readonly #heard = new Map<string, number>()
  /** Messages of each group that wait or are handled in this process. */
  readonly #held = new Map<string, number>()
  #heldTotal = 0
  /** Messages that the consumer has not delivered yet. */
  #pending = 0
  #arrivedAt = 0
  /** When the last message arrived that does not go to OVERFLOW. */
  #othersAt = 0
  /** When the last turn of work on OVERFLOW began. */
  #turnAt = 0
  readonly #waiters = new Set<() => void>()
  readonly #listeners: (() => void)[] = []
  /** Of each group in OVERFLOW: its messages there, and those that this process has moved, with their bytes. */
  readonly #stored = new Map<string, number>()
  readonly #moved = new Map<string, { messages: number; bytes: number }>()
  #room = { bytes: 0, most: Infinity }
  #moves: Delivery[] = []
  #movingBytes = 0
  #isMoving = false
  #polls = 0
  #polling: Promise<void> = Promise.resolve()

  constructor(broker: Broker, options: OverflowOptions) {
    this.#broker = broker
    this.#options = options
    this.#stream = streamOf('OVERFLOW', options.partition ?? 0)
    this.#prefix = overflowPrefix(options.partition ?? 0)
  }

  /** Resolves when it is known which groups have messages in OVERFLOW. Start consuming after that. */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    while (!(await this.#poll()) && !signal.aborted) await pause(RETRY_MS, signal)
    this.#polling = this.#keepPolling()
  }

  /** Of a partition, whose messages all come to this process. */
  get isOwned(): boolean {
    return this.#options.partition !== undefined
  }

  /** True while new messages of the group go to OVERFLOW. */
  isOpen(group: string): boolean {
    return this.#open.has(group)
  }

  /**
   * True while a group has more in OVERFLOW than is free there: one group can fill a half, two a third each. By the sizes
   * of the messages that this process has moved.
   */
  isShareUsed(group: string): boolean {
    const { messages, bytes } = this.#moved.get(group) ?? { messages: 0, bytes: 0 }
    const own = (this.#stored.get(group) ?? 0) * (bytes / Math.max(1, messages))
    return own > this.#room.most - this.#room.bytes
  }

  /** Number of active groups whose messages do not go to OVERFLOW. */
  get active(): number {
    let active = this.#heard.size
    for (const group of this.#open.keys()) if (this.#heard.has(group)) active -= 1
    return active
  }

  /** For the intake: how many messages are on their way to OVERFLOW, and their bytes. */
  get moving(): number {
    return this.#moves.length
  }
  get movingBytes(): number {
    return this.#movingBytes
  }
  /** The messages on their way, which the broker must not redeliver meanwhile. */
  get waiting(): readonly Delivery[] {
    return this.#moves
  }
  /** Calls back when messages have been moved, so that there is room again. */
  onMoved(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Takes a message that has just arrived if it belongs into OVERFLOW. `queue` has the waiting messages. */
  take(delivery: Delivery, queue: Pick<FairQueue, 'costOf' | 'countFrom' | 'waitingSince'>): boolean {
    const { group, arrivedAt } = delivery
    this.#heard.set(group, arrivedAt)
    if (this.#stopping.signal.aborted) return false
    const isOpen = this.#open.has(group)
    const cost = queue.costOf(group)
    const waitedMs = arrivedAt - (queue.waitingSince(group) ?? arrivedAt)
    const isSlow = waitedMs >= (this.#options.afterMs ?? AFTER_MS)
    if (!isOpen && !(isSlow && isOverShare(cost, queue, this))) {
      this.#othersAt = arrivedAt
      return false
    }
    return this.move(delivery)
  }

  /** Moves a message. False if that is not possible. */
  move(delivery: Delivery): boolean {
    const { group } = delivery
    if (this.#stopping.signal.aborted || !this.#isMovable(delivery)) return false
    if (!this.#open.has(group))
      this.#options.logger.warn({ group }, 'messages beyond the share of a group go to OVERFLOW')
    this.#open.set(group, this.#polls)
    this.#moves.push(delivery)
    this.#movingBytes += delivery.data.length
    void this.#moveAll()
    return true
  }

  /** For the intake: a message arrived, and `pending` more are behind it. */
  arrived(pending: number): void {
    this.#pending = pending
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
      await this.#shortly(() => this.#pending === 0, signal)
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

  /** False if nothing has arrived for a while: other replicas may have received the pending messages. */
  #isBehind(): boolean {
    return this.#pending > 0 && Date.now() - this.#arrivedAt < WAIT_FOR_OTHERS_MS
  }

  async #shortly(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const enough = AbortSignal.any([signal, AbortSignal.timeout(WAIT_FOR_OTHERS_MS)])
    await this.#until(isSo, enough).catch(() => signal.throwIfAborted())
  }

  /** Stops. Returns the messages that were on their way and are not stored yet. */
  close(): Delivery[] {
    this.#stopping.abort()
    this.#wake()
    const left = this.waiting
    this.#moves = []
    return [...left]
  }

  async stop(): Promise<void> {
    this.close()
    await this.#polling
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

  /** A message of the largest size that the broker accepts has no room for the headers of a move. */
  #isMovable({ group, data }: Delivery): boolean {
    const limit = natsOf(this.#broker).info?.max_payload ?? 1024 * 1024
    return TOKEN.test(group) && data.length <= limit - HEADER_ROOM
  }

  /**
   * Moves messages in the order of arrival. After a failure it retries the same ones first, and sends one at a time until
   * none is left: of several, the broker could refuse one and store the next, for which there was room again.
   */
  async #moveAll(): Promise<void> {
    if (this.#isMoving) return
    this.#isMoving = true
    const { signal } = this.#stopping
    let isFull = false
    while (this.#moves.length > 0) {
      const chunk = isFull ? this.#moves.slice(0, 1) : this.#nextChunk()
      const results = await publishMany(
        this.#broker,
        chunk.map((delivery) => asMessage(this.#prefix, delivery)),
      )
      if (signal.aborted) break // they were requeued, and are stored twice at worst
      const failed = chunk.filter((_, i) => !results[i]?.ok)
      const stored = chunk.filter((_, i) => results[i]?.ok)
      this.#moves.splice(0, chunk.length, ...failed)
      this.#settle(stored)
      if (failed.length === 0) continue
      isFull = true
      const reason = results.find((result) => !result.ok)?.reason
      this.#options.logger.warn(
        { messages: this.#moves.length, reason },
        'OVERFLOW refused messages; they are held',
      )
      await pause(RETRY_MS, signal)
    }
    this.#isMoving = false
  }

  #nextChunk() {
    let [count, bytes] = [0, 0]
    for (const { data } of this.#moves) {
      if (count === CHUNK.messages || bytes >= CHUNK.bytes) break
      count += 1
      bytes += data.length
    }
    return this.#moves.slice(0, count)
  }

  #settle(stored: readonly Delivery[]): void {
    if (stored.length > 0) this.#options.onStored?.(stored.length)
    for (const delivery of stored) {
      delivery.ack()
      this.#open.set(delivery.group, this.#polls)
      this.#movingBytes -= delivery.data.length
      const moved = this.#moved.get(delivery.group) ?? { messages: 0, bytes: 0 }
      this.#moved.set(delivery.group, {
        messages: moved.messages + 1,
        bytes: moved.bytes + delivery.data.length,
      })
    }
    for (const listener of this.#listeners) listener()
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await pause(POLL_MS, signal)
      if (!signal.aborted) await this.#poll()
    }
  }

  /**
   * Reads which groups have messages in OVERFLOW, including moves of other replicas. False if the broker does not
   * answer.
   */
  async #poll(): Promise<boolean> {
    const now = Date.now()
    for (const [group, at] of this.#heard) if (now - at > ACTIVE_MS) this.#heard.delete(group)
    const number = (this.#polls += 1)
    try {
      const jsm = await natsOf(this.#broker).jetstreamManager({ checkAPI: false })
      const { state, config } = await jsm.streams.info(this.#stream, { subjects_filter: `${this.#prefix}*` })
      this.#stored.clear()
      for (const [subject, messages] of Object.entries(state.subjects ?? {}))
        this.#stored.set(subject.slice(this.#prefix.length), messages)
      this.#room = { bytes: state.bytes, most: config.max_bytes > 0 ? config.max_bytes : Infinity }
      this.#update(number)
      return true
    } catch (error) {
      if (this.#stopping.signal.aborted) return false
      this.#options.logger.warn({ reason: describeError(error) }, 'OVERFLOW could not be read')
      return false
    }
  }

  /**
   * A group stays open if a message of it went to OVERFLOW after this poll began: the poll may have missed that
   * message.
   */
  #update(number: number): void {
    const stored = this.#stored
    for (const group of stored.keys()) this.#open.set(group, this.#open.get(group) ?? number - 1)
    const onTheWay = new Set(this.#moves.map(({ group }) => group))
    for (const [group, at] of this.#open)
      if (!stored.has(group) && at < number && !onTheWay.has(group)) {
        this.#open.delete(group)
        this.#moved.delete(group)
      }
  }
}

const asMessage = (prefix: string, delivery: Delivery) => ({
  payload: delivery.data,
  ...asOverflow(delivery.group, prefix, delivery),
})

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => {})

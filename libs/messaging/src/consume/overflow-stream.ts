import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from '../connect/connection.ts'
import { streamOf } from '../connect/numbers.ts'
import { overflowPrefix } from '../connect/topology.ts'
import { HEADER_ROOM } from '../dead-letters/dead-letters.ts'
import type { Delivery } from '../messages/delivery.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { publishMany } from '../messages/publish.ts'
import { asOverflow } from '../messages/replayed.ts'
import type { Partition } from './source.ts'

type Options = {
  logger: Logger
  partition: Partition
  /** Called with the number of messages that have just been stored. */
  onStored?: ((count: number) => void) | undefined
  /** Called when messages have been moved. */
  onMoved: () => void
}

/** A group that was heard within this time is active: no flood may delay it. */
const ACTIVE_MS = 60_000
const POLL_MS = 500
const RETRY_MS = 250
/** Messages are sent in chunks of this size. Other work runs while the answers are awaited. */
const CHUNK = { messages: 64, bytes: 512 * 1024 }
const TOKEN = /^[0-9A-Za-z_-]{1,64}$/

/** Moves messages to OVERFLOW, or to that of a partition, and knows which groups have messages there. */
export class OverflowStream {
  readonly #broker: Broker
  readonly #options: Options
  readonly #stream: string
  readonly #prefix: string
  readonly #stopping = new AbortController()
  /** Groups whose messages go to OVERFLOW, with the number of the newest poll when the last of their messages went. */
  readonly #open = new Map<string, number>()
  /** When each group was last heard. */
  readonly #heard = new Map<string, number>()
  /** Of each group in OVERFLOW: its messages there, and those that this process has moved, with their bytes. */
  readonly #stored = new Map<string, number>()
  readonly #moved = new Map<string, { messages: number; bytes: number }>()
  #room = { bytes: 0, most: Infinity }
  #moves: Delivery[] = []
  #movingBytes = 0
  #isMoving = false
  #polls = 0
  #polling: Promise<void> = Promise.resolve()

  constructor(broker: Broker, options: Options) {
    this.#broker = broker
    this.#options = options
    this.#stream = streamOf('OVERFLOW', options.partition ?? 0)
    this.#prefix = overflowPrefix(options.partition ?? 0)
  }

  /** Resolves when it is known which groups have messages there, or when it was closed. */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    while (!(await this.#poll()) && !signal.aborted) await pause(RETRY_MS, signal)
    this.#polling = this.#keepPolling()
  }

  isOpen(group: string): boolean {
    return this.#open.has(group)
  }

  isShareUsed(group: string): boolean {
    const { messages, bytes } = this.#moved.get(group) ?? { messages: 0, bytes: 0 }
    const own = (this.#stored.get(group) ?? 0) * (bytes / Math.max(1, messages))
    return own > this.#room.most - this.#room.bytes
  }

  get active(): number {
    let active = this.#heard.size
    for (const group of this.#open.keys()) if (this.#heard.has(group)) active -= 1
    return active
  }

  get moving(): { messages: number; bytes: number } {
    return { messages: this.#moves.length, bytes: this.#movingBytes }
  }
  get waiting(): readonly Delivery[] {
    return this.#moves
  }

  heard({ group, arrivedAt }: Delivery): void {
    this.#heard.set(group, arrivedAt)
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

  /** Stops. Returns the messages that were on their way and are not stored yet. */
  close(): Delivery[] {
    this.#stopping.abort()
    const left = this.#moves
    this.#moves = []
    return left
  }

  async stop(): Promise<void> {
    this.close()
    await this.#polling
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
    this.#options.onMoved()
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

export const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => {})

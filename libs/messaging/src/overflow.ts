import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from './connection.ts'
import { HEADER_ROOM } from './dead-letters.ts'
import type { Delivery } from './delivery.ts'
import { isOverShare } from './fair-share.ts'
import type { FairQueue } from './fair-queue.ts'
import { describeError, type Logger } from './logger.ts'
import { publishMany } from './publish.ts'
import { asOverflow, OVERFLOW_PREFIX } from './replayed.ts'

export type OverflowOptions = {
  logger: Logger
  /** A group that is handled within this is not moved, however much it holds: moving costs more. 750 when left out. */
  afterMs?: number
  /** Called when so many messages of a group have been stored in OVERFLOW. */
  onStored?: (count: number) => void
}

/** Who was heard within this is active, and nobody's flood may be in its way. */
const ACTIVE_MS = 60_000
const AFTER_MS = 750
const LOOK_EVERY_MS = 500
const RETRY_MS = 250
/** Sent at a time, before the answers are waited for. Others have their turn in between. */
const CHUNK = { messages: 64, bytes: 512 * 1024 }
/** How long work on OVERFLOW waits for everybody else to be done. */
const WAIT_FOR_OTHERS_MS = 100
/** And how many times as long while the consumer lags behind its stream, where others may wait. */
const WAITS_BEHIND = 10
/** Beside others who were heard so lately, work on OVERFLOW rests as long as its last turn is ago, so that half of the time is theirs. */
const BESIDE_OTHERS_MS = 1_000
const LONGEST_REST_MS = 100
const TOKEN = /^[0-9A-Za-z_-]{1,64}$/

/**
 * Moves what a group has beyond its share from the stream that a consumer reads to OVERFLOW, unread, so that the others do
 * not wait behind it. Acknowledged where it was only after OVERFLOW has stored it; without room there it is held until
 * there is. While OVERFLOW has messages of a group, its new ones follow: their order is kept. For one consumer of a process.
 */
export class Overflow {
  readonly #broker: Broker
  readonly #options: OverflowOptions
  readonly #stopping = new AbortController()
  /** Groups whose messages go to OVERFLOW, with the number of the look before which the last one went. */
  readonly #open = new Map<string, number>()
  /** When each group was last heard. */
  readonly #heard = new Map<string, number>()
  /** Messages of each group that wait in this process or are being handled. */
  readonly #held = new Map<string, number>()
  #heldTotal = 0
  /** Messages of the stream that the consumer has yet to get. */
  #pending = 0
  #arrivedAt = 0
  /** When a message arrived that does not go to OVERFLOW. */
  #othersAt = 0
  /** When work on OVERFLOW last had its turn. */
  #turnAt = 0
  readonly #waiters = new Set<() => void>()
  readonly #listeners: (() => void)[] = []
  #moves: Delivery[] = []
  #movingBytes = 0
  #isMoving = false
  #look = 0
  #looking: Promise<void> = Promise.resolve()

  constructor(broker: Broker, options: OverflowOptions) {
    this.#broker = broker
    this.#options = options
  }

  /** Resolves when it is known whose messages OVERFLOW has; consuming begins after that. */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    while (!(await this.#lookOnce()) && !signal.aborted) await pause(RETRY_MS, signal)
    this.#looking = this.#keepLooking()
  }

  /** Messages of that group go to OVERFLOW at the moment. */
  isOpen(group: string): boolean {
    return this.#open.has(group)
  }

  /** Groups heard lately whose messages do not go to OVERFLOW. */
  get active(): number {
    let active = this.#heard.size
    for (const group of this.#open.keys()) if (this.#heard.has(group)) active -= 1
    return active
  }

  /** For the intake: how many are on their way to OVERFLOW, and their bytes. */
  get moving(): number {
    return this.#moves.length
  }
  get movingBytes(): number {
    return this.#movingBytes
  }
  /** Those on their way, which must not be delivered a second time meanwhile. */
  get waiting(): readonly Delivery[] {
    return this.#moves
  }
  /** Calls back when there is room again. */
  onMoved(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Takes a message that has just arrived when it belongs into OVERFLOW. `queue` is what waits already. */
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
    if (!this.#isMovable(delivery)) return false
    if (!isOpen)
      this.#options.logger.warn(
        { group, cost, waited_ms: waitedMs },
        'messages beyond the share of a group go to OVERFLOW',
      )
    this.#open.set(group, this.#look)
    this.#moves.push(delivery)
    this.#movingBytes += delivery.data.length
    void this.#moveAll()
    return true
  }

  /** For the intake: a message arrived, and so many come behind it. */
  arrived(pending: number): void {
    this.#pending = pending
    this.#arrivedAt = Date.now()
    if (pending === 0) this.#wake()
  }

  /** For the intake and the run: a message of the group waits here, or is done with. */
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
   * Resolves when it is the turn of messages of these groups that lie in OVERFLOW: what was received before them is done,
   * and nobody else has anything to do, or has had time enough. Rejects when `signal` aborts.
   */
  async turn(groups: Iterable<string>, signal: AbortSignal): Promise<void> {
    const own = [...new Set(groups)]
    await this.#rest(signal)
    await this.#until(() => own.every((group) => !this.#held.has(group)), signal)
    for (let waits = 0; waits < WAITS_BEHIND && this.#isBehind(); waits += 1)
      await this.#shortly(() => this.#pending === 0, signal)
    await this.#shortly(() => this.#heldTotal === 0, signal)
    this.#turnAt = Date.now()
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const now = Date.now()
    const restMs = Math.min(now - this.#turnAt, LONGEST_REST_MS)
    if (now - this.#othersAt < BESIDE_OTHERS_MS)
      await pause(restMs, AbortSignal.any([signal, this.#stopping.signal]))
  }

  /** Other replicas may have got what came behind the last one that arrived here. */
  #isBehind(): boolean {
    return this.#pending > 0 && Date.now() - this.#arrivedAt < WAIT_FOR_OTHERS_MS
  }

  async #shortly(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const enough = AbortSignal.any([signal, AbortSignal.timeout(WAIT_FOR_OTHERS_MS)])
    await this.#until(isSo, enough).catch(() => signal.throwIfAborted())
  }

  /** Stops; returns what was on its way and is not stored yet. */
  close(): Delivery[] {
    this.#stopping.abort()
    this.#wake()
    const left = this.waiting
    this.#moves = []
    return [...left]
  }

  async stop(): Promise<void> {
    this.close()
    await this.#looking
  }

  #wake(): void {
    for (const look of this.#waiters) look()
  }

  #until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal
    return new Promise((resolve, reject) => {
      const look = () => {
        if (signal.aborted) end(() => reject(signal.reason as Error))
        else if (stopping.aborted || isSo()) end(resolve)
      }
      const end = (settle: () => void) => {
        this.#waiters.delete(look)
        signal.removeEventListener('abort', look)
        settle()
      }
      this.#waiters.add(look)
      signal.addEventListener('abort', look, { once: true })
      look()
    })
  }

  /** What is as large as the broker takes has no room for the headers of a move. */
  #isMovable({ group, data }: Delivery): boolean {
    const limit = natsOf(this.#broker).info?.max_payload ?? 1024 * 1024
    return TOKEN.test(group) && data.length <= limit - HEADER_ROOM
  }

  /** In the order of arrival; after a failure the same ones first. */
  async #moveAll(): Promise<void> {
    if (this.#isMoving) return
    this.#isMoving = true
    const { signal } = this.#stopping
    while (this.#moves.length > 0) {
      const chunk = this.#nextChunk()
      const results = await publishMany(this.#broker, chunk.map(asMessage))
      if (signal.aborted) break // they were handed back, and are stored twice at worst
      const failed = chunk.filter((_, i) => !results[i]?.ok)
      const stored = chunk.filter((_, i) => results[i]?.ok)
      this.#moves.splice(0, chunk.length, ...failed)
      this.#settle(stored)
      if (failed.length === 0) continue
      const reason = results.find((result) => !result.ok)?.reason
      this.#options.logger.warn(
        { messages: this.#moves.length, reason },
        'OVERFLOW takes nothing, holding back',
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
      this.#open.set(delivery.group, this.#look)
      this.#movingBytes -= delivery.data.length
    }
    for (const listener of this.#listeners) listener()
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await pause(LOOK_EVERY_MS, signal)
      if (!signal.aborted) await this.#lookOnce()
    }
  }

  /** Whose messages OVERFLOW has, other replicas' moves included. False when the broker does not tell. */
  async #lookOnce(): Promise<boolean> {
    const now = Date.now()
    for (const [group, at] of this.#heard) if (now - at > ACTIVE_MS) this.#heard.delete(group)
    const number = (this.#look += 1)
    try {
      const jsm = await natsOf(this.#broker).jetstreamManager({ checkAPI: false })
      const { state } = await jsm.streams.info('OVERFLOW', { subjects_filter: `${OVERFLOW_PREFIX}*` })
      const stored = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(OVERFLOW_PREFIX.length))
      this.#update(new Set(stored), number)
      return true
    } catch (error) {
      if (this.#stopping.signal.aborted) return false
      this.#options.logger.warn({ reason: describeError(error) }, 'OVERFLOW cannot be looked at')
      return false
    }
  }

  /** One that went there since the look began may be missing in what it saw. */
  #update(stored: ReadonlySet<string>, number: number): void {
    for (const group of stored) this.#open.set(group, this.#open.get(group) ?? number - 1)
    const onTheWay = new Set(this.#moves.map(({ group }) => group))
    for (const [group, at] of this.#open)
      if (!stored.has(group) && at < number && !onTheWay.has(group)) this.#open.delete(group)
  }
}

const asMessage = (delivery: Delivery) => ({
  payload: delivery.data,
  ...asOverflow(delivery.group, delivery),
})

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => {})

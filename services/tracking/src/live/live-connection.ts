import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Listener } from './stream-shares.ts'

/**
 * A client with more than this in its buffer has fallen behind: later events stay in the stream until there is room.
 */
const MAX_BUFFERED_BYTES = 256 * 1024
/** Length of the live events that are held while earlier ones are read from the stream. */
const MAX_HELD_LENGTH = 64 * 1024
const PAGE_BYTES = 16 * 1024
/** How long a client may take to make room. */
const ROOM_MS = 10_000
/** How long a client may take to read the end. */
const END_MS = 1_000

export class SlowClient extends Error {
  override readonly name = 'SlowClient'
  constructor() {
    super('the client does not keep up')
  }
}

type LiveEvent = { seq: number; text: string }

/**
 * One client: a stream of text, and the sequence up to which it has everything. While it catches up, live events are
 * held. If they do not fit, they are dropped and read from the stream again.
 */
export class LiveConnection extends Readable {
  readonly listener: Listener
  readonly openedAtMs = Date.now()
  /** Sequence of the last event that was sent, or that is for another organization. */
  seq: number
  #held: LiveEvent[] | undefined
  #heldLength = 0
  #leftOut = false
  #isFinished = false
  #wake: () => void = () => undefined
  readonly #onGone: (cause: Error | null) => void
  readonly #roomMs: number

  constructor(listener: Listener, seq: number, onGone: (cause: Error | null) => void, roomMs = ROOM_MS) {
    super({ highWaterMark: PAGE_BYTES })
    this.listener = listener
    this.seq = seq
    this.#onGone = onGone
    this.#roomMs = roomMs
  }

  get orgId(): number {
    return this.listener.orgId
  }

  get isLive(): boolean {
    return this.#held === undefined
  }

  /** Holds live events from now on, until `goLive`. */
  hold(): void {
    this.#held = []
    this.#heldLength = 0
    this.#leftOut = false
  }

  /** Sends the held events. False if some were dropped: then the stream must be read again. */
  goLive(): boolean {
    if (this.#leftOut) return false
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.deliver(event)
    return true
  }

  /** Continues after `seq`, without the events before it. */
  skipTo(seq: number): void {
    this.#held = undefined
    this.seq = seq
  }

  /** Sends or holds a live event. False if there is no room: then the client must catch up. */
  offer(event: LiveEvent): boolean {
    if (this.#held === undefined) {
      if (this.readableLength > MAX_BUFFERED_BYTES) return false
      this.deliver(event)
      return true
    }
    this.#heldLength += event.text.length
    if (this.#heldLength > MAX_HELD_LENGTH) this.#leftOut = true
    if (this.#leftOut) this.#held = []
    else this.#held.push(event)
    return true
  }

  /** Sends each event once, and never one that is older than the last. */
  deliver({ seq, text }: LiveEvent): void {
    if (seq <= this.seq) return
    this.seq = seq
    this.write(text)
  }

  write(text: string): void {
    if (!this.destroyed && !this.#isFinished) this.push(text)
  }

  /**
   * Resolves once there is room for more, or the connection is gone. Ends the connection of a client that takes too
   * long.
   */
  async waitForRoom(): Promise<void> {
    if (this.readableLength < PAGE_BYTES) return
    const late = new AbortController()
    const limit = delay(this.#roomMs, undefined, { signal: late.signal }).then(
      () => this.destroy(new SlowClient()),
      () => undefined, // there was room in time
    )
    while (!this.destroyed && this.readableLength >= PAGE_BYTES)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    late.abort()
    await limit
  }

  /** Ends the connection; the client reconnects elsewhere. Does not wait for a client that has not read its buffer. */
  finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    if (this.readableLength > 0) {
      this.destroy()
      return
    }
    this.push(null)
    setTimeout(() => this.destroy(), END_MS).unref()
  }

  override _read(): void {
    this.#wake()
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void): void {
    this.#wake()
    this.#onGone(cause)
    done(cause)
  }
}

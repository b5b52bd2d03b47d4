import { setTimeout as delay } from 'node:timers/promises'
import { LiveStream, PAGE_BYTES, type Opening } from './live-stream.ts'

/**
 * A client with more than this in its buffer has fallen behind: later events stay in the stream until there is room.
 */
const MAX_BUFFERED_BYTES = 256 * 1024
/** Length of the live events that are held while earlier ones are read from the stream. */
const MAX_HELD_LENGTH = 64 * 1024
/** How long a client may take to make room. */
const ROOM_MS = 10_000
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
export class LiveConnection extends LiveStream {
  /** Sequence of the last event that was sent, or that is for another organization. */
  seq: number
  #held: LiveEvent[] | undefined
  #heldLength = 0
  #leftOut = false
  #wake: () => void = () => undefined
  readonly #roomMs: number

  constructor(opening: Opening, seq: number, roomMs = ROOM_MS) {
    super(opening)
    this.seq = seq
    this.#roomMs = roomMs
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

  override _read(): void {
    this.#wake()
  }

  protected override whenGone(): void {
    this.#wake()
  }
}

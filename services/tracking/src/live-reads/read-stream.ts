import { readEvents, type OmittedReads } from '@whereabouts/contracts/reader-messages'
import type { HeardMessage } from '@whereabouts/messaging/listen'
import { LiveStream, type Opening } from '../live/live-stream.ts'

/** What a view shows at most in `WINDOW_MS`: more than a person can read. */
export const MAX_READS = 20
const WINDOW_MS = 100
/** Messages that wait for the end of a window. A flood is not decoded for a view. */
const MAX_WAITING = 20
const MAX_WAITING_BYTES = 512 * 1024
/** A client with more than this in its buffer gets counts only, until it has read them. */
const MAX_BUFFERED_BYTES = 64 * 1024

export type Shown = { texts: string[]; omitted: number }
/** Makes the events of some messages, with at most `room` reads. */
export type Show = (messages: readonly HeardMessage[], room: number) => Promise<Shown>

/** What a reader sends, as one client sees it. Bounded: what does not fit is counted. */
export class ReadStream extends LiveStream {
  readonly #show: Show
  #waiting: HeardMessage[] = []
  #waitingBytes = 0
  #omitted: OmittedReads = { reads: 0, messages: 0 }
  #timer: NodeJS.Timeout | undefined
  #stop: () => void = () => undefined

  constructor(opening: Opening, show: Show) {
    super(opening)
    this.#show = show
  }

  /** Starts to hear the reader, until the stream is gone. */
  follow(hear: (onMessage: (message: HeardMessage) => void) => () => void): void {
    this.#stop = hear((message) => this.#take(message))
  }

  #take(message: HeardMessage): void {
    this.#timer ??= setTimeout(() => void this.#flush(), WINDOW_MS)
    const bytes = this.#waitingBytes + message.data.length
    const isFull = this.#waiting.length >= MAX_WAITING || bytes > MAX_WAITING_BYTES
    if (isFull || this.readableLength > MAX_BUFFERED_BYTES) {
      this.#omitted.messages += 1
      return
    }
    this.#waiting.push(message)
    this.#waitingBytes = bytes
  }

  /** The next window starts when this one is sent, so that a slow catalog does not pile up work. */
  async #flush(): Promise<void> {
    const messages = this.#waiting.splice(0)
    this.#waitingBytes = 0
    if (messages.length > 0) await this.#send(messages)
    const omitted = this.#omitted
    if (omitted.reads + omitted.messages > 0 && this.readableLength <= MAX_BUFFERED_BYTES) {
      this.write(eventText(readEvents.omitted, omitted))
      this.#omitted = { reads: 0, messages: 0 }
    }
    this.#timer = undefined
    const isMore = this.#waiting.length > 0 || this.#omitted.reads + this.#omitted.messages > 0
    if (isMore && !this.destroyed) this.#timer = setTimeout(() => void this.#flush(), WINDOW_MS)
  }

  async #send(messages: readonly HeardMessage[]): Promise<void> {
    try {
      const { texts, omitted } = await this.#show(messages, MAX_READS)
      this.#omitted.reads += omitted
      for (const text of texts) this.write(text)
    } catch {
      this.#omitted.messages += messages.length // catalog does not answer: the next messages come soon
    }
  }

  protected override whenGone(): void {
    this.#stop()
    clearTimeout(this.#timer)
  }
}

export const eventText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

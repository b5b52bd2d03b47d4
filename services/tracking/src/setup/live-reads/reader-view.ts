import type { HeardMessage } from '@whereabouts/messaging/messages/listen'
import type { ReadStream, Shown } from './read-stream.ts'

/** What a view shows at most in `WINDOW_MS`: more than a person can read. */
export const MAX_READS = 20
const WINDOW_MS = 100
/** Messages that wait for the end of a window. A flood is not decoded for a view. */
const MAX_WAITING = 20
const MAX_WAITING_BYTES = 512 * 1024

/** Makes the events of some messages, with at most `room` reads. */
type Show = (messages: readonly HeardMessage[], room: number) => Promise<Shown>
type Options = {
  show: Show
  hear: (onMessage: (message: HeardMessage) => void) => () => void
  /** When its last stream is gone. */
  onEmpty: () => void
}

/** What one reader sends, made once for all streams that show it. */
export class ReaderView {
  readonly #options: Options
  readonly #streams = new Set<ReadStream>()
  readonly #stop: () => void
  #waiting: HeardMessage[] = []
  #waitingBytes = 0
  #left = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#stop = options.hear((message) => this.#take(message))
  }

  add(stream: ReadStream): void {
    this.#streams.add(stream)
  }

  remove(stream: ReadStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return
    this.#stop()
    clearTimeout(this.#timer)
    this.#options.onEmpty()
  }

  #take(message: HeardMessage): void {
    this.#timer ??= setTimeout(() => void this.#flush(), WINDOW_MS)
    const bytes = this.#waitingBytes + message.data.length
    if (this.#waiting.length >= MAX_WAITING || bytes > MAX_WAITING_BYTES) {
      this.#left += 1
      return
    }
    this.#waiting.push(message)
    this.#waitingBytes = bytes
  }

  /** The next window starts when this one is sent, so that a slow catalog does not pile up work. */
  async #flush(): Promise<void> {
    const messages = this.#waiting.splice(0)
    const left = this.#left
    this.#waitingBytes = this.#left = 0
    const { texts, omitted } = await this.#shown(messages)
    const shown = { texts, omitted: { ...omitted, messages: omitted.messages + left } }
    const told = [...this.#streams].map((stream) => stream.show(shown, messages.length + left))
    this.#timer = undefined
    const isMore = this.#waiting.length > 0 || this.#left > 0 || told.includes(false)
    if (isMore && this.#streams.size > 0) this.#timer = setTimeout(() => void this.#flush(), WINDOW_MS)
  }

  #shown(messages: readonly HeardMessage[]): Promise<Shown> {
    // Without catalog nothing can be shown: the next messages come soon.
    const none = { texts: [], omitted: { reads: 0, messages: messages.length } }
    return this.#options.show(messages, MAX_READS).catch(() => none)
  }
}

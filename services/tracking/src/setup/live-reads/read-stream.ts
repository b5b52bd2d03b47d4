import { readEvents, type OmittedReads } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { LiveStream, type Opening } from '../../where/live/live-stream.ts'

/** A client with more than this in its buffer gets counts only, until it has read them. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** The events of some messages, and what they leave out. */
export type Shown = { texts: string[]; omitted: OmittedReads }

/** What a reader sends, as one client sees it. Bounded: what does not fit is counted. */
export class ReadStream extends LiveStream {
  readonly #onGone: () => void
  readonly #omitted: OmittedReads = { reads: 0, messages: 0 }

  constructor(opening: Opening, onGone: () => void) {
    super(opening)
    this.#onGone = onGone
  }

  /** Shows events made of `messages` messages. False if the client has still to be told what was left out. */
  show({ texts, omitted }: Shown, messages: number): boolean {
    const hasRoom = this.readableLength <= MAX_BUFFERED_BYTES
    if (hasRoom) {
      for (const text of texts) this.write(text)
      this.#omitted.reads += omitted.reads
      this.#omitted.messages += omitted.messages
    } else this.#omitted.messages += messages
    if (this.#omitted.reads + this.#omitted.messages === 0) return true
    if (!hasRoom) return false
    this.write(eventText(readEvents.omitted, this.#omitted))
    this.#omitted.reads = this.#omitted.messages = 0
    return true
  }

  protected override whenGone(): void {
    this.#onGone()
  }
}

export const eventText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

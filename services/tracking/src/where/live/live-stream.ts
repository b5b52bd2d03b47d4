import { Readable } from 'node:stream'
import type { Listener } from './stream-shares.ts'

export const PAGE_BYTES = 16 * 1024
/** How long a client may take to read the end. */
const END_MS = 1_000

/** Whose stream it is, and what happens when it is gone. */
export type Opening = { listener: Listener; onGone: (cause: Error | null) => void }

/** The text that one client receives. */
export abstract class LiveStream extends Readable {
  readonly listener: Listener
  readonly openedAtMs = Date.now()
  readonly #onGone: (cause: Error | null) => void
  #isFinished = false

  constructor({ listener, onGone }: Opening) {
    super({ highWaterMark: PAGE_BYTES })
    this.listener = listener
    this.#onGone = onGone
  }

  get orgId(): number {
    return this.listener.orgId
  }

  write(text: string): void {
    if (!this.destroyed && !this.#isFinished) this.push(text)
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
    // text is pushed when it comes
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void): void {
    this.whenGone()
    this.#onGone(cause)
    done(cause)
  }

  /** Frees what belongs to the kind of stream. */
  protected abstract whenGone(): void
}

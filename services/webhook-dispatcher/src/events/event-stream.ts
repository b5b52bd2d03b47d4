import { Readable } from 'node:stream'
import { retryText, seenText } from '@whereabouts/service-kit/http/event-stream'
import { cursorOf } from '@whereabouts/service-kit/http/cursor'
import type { EventHeads } from './event-heads.ts'
import { eventText, type Page } from './event-pages.ts'

const HEARTBEAT_MS = 15_000
/** How long a client may take to read the end. */
const END_MS = 1_000
/** The longest time of a timer. */
const MOST_MS = 2 ** 31 - 1

export type Streaming = {
  orgId: number
  first: Page
  next: (seq: number) => Promise<Page>
  heads: Pick<EventHeads, 'moved'>
  expiresAtMs: number
  /** The process could not go on with the stream; its client reconnects. */
  onFailure: (error: unknown) => void
  heartbeatMs?: number | undefined
}

/** Server-sent events from a page on. Reads the next page when the client has read most of the one before. */
export class EventStream extends Readable {
  readonly #ending = new AbortController()
  readonly #texts: AsyncIterator<string>
  readonly #expiry: NodeJS.Timeout

  constructor(streaming: Streaming) {
    super({ highWaterMark: 16 * 1024 })
    this.#texts = textsOf(streaming, this.#ending.signal)
    const leftMs = Math.min(Math.max(0, streaming.expiresAtMs - Date.now()), MOST_MS)
    this.#expiry = setTimeout(() => this.finish(), leftMs).unref()
  }

  /** Ends after what has been read; at once for a client that does not read. */
  finish(): void {
    this.#ending.abort()
    setTimeout(() => this.destroy(), END_MS).unref()
  }

  override _read(): void {
    void this.#texts.next().then(({ done, value }) => this.push(done === true ? null : value))
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#expiry)
    this.#ending.abort()
    done(cause)
  }
}

async function* textsOf(streaming: Streaming, ending: AbortSignal): AsyncGenerator<string, undefined> {
  const { orgId, next, heads, onFailure, heartbeatMs = HEARTBEAT_MS } = streaming
  let page = streaming.first
  yield retryText() + (page.rows.length > 0 ? '' : seenText(cursorOf(orgId, page.seq)))
  let beatAt = Date.now() + heartbeatMs
  try {
    for (;;) {
      if (page.rows.length > 0) yield textOf(orgId, page)
      if (Date.now() >= beatAt) {
        yield seenText(cursorOf(orgId, page.seq))
        beatAt = Date.now() + heartbeatMs
      }
      if (ending.aborted) return undefined
      if (!page.hasMore) await heads.moved(orgId, page.seq, before(beatAt, ending))
      if (ending.aborted) return undefined
      page = await next(page.seq)
    }
  } catch (error) {
    if (!ending.aborted) onFailure(error)
    return undefined
  }
}

const before = (atMs: number, ending: AbortSignal) =>
  AbortSignal.any([ending, AbortSignal.timeout(Math.max(0, atMs - Date.now()))])

const textOf = (orgId: number, { rows }: Page) =>
  rows.map((row) => `id: ${cursorOf(orgId, row.seq)}\ndata: ${eventText(row)}\n\n`).join('')

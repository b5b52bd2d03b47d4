import type { Feed, FeedOptions } from './feed.ts'
import type { FromPage, FromWorker } from './feed-messages.ts'

/** A worker answers at once, and then sends something every 15 s. */
const FIRST_ANSWER_MS = 7_000
const SILENCE_MS = 45_000
/** A worker that ends while a page connects to it never answers; the next one does. */
const TRIES = 3

/** One connection for all pages of this browser with the same `name`, held by a shared worker. */
export function sharedFeed(
  name: string,
  { token, onEvent, lastId }: FeedOptions,
  onBroken: () => void,
): Feed {
  let port: MessagePort | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let isOpen = false
  let unanswered = 0
  /** The request for a token that waits, for instance until the person has signed in again. */
  let wanted: { request: number } | undefined

  const send = (message: FromPage) => port?.postMessage(message)

  /** The worker has crashed or never started. */
  function replaceWorker(): void {
    close()
    unanswered += 1
    if (unanswered < TRIES) open()
    else onBroken()
  }

  /** The script of the worker does not load. */
  function giveUp(): void {
    close()
    onBroken()
  }

  function expectAnswer(withinMs: number): void {
    clearTimeout(silence)
    silence = setTimeout(replaceWorker, withinMs)
  }

  function connect(): MessagePort {
    const worker = new SharedWorker(new URL('./feed-worker.ts', import.meta.url), { name })
    worker.addEventListener('error', giveUp)
    worker.port.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data))
    worker.port.start()
    return worker.port
  }

  function receive(message: FromWorker): void {
    if (!isOpen) return
    unanswered = 0
    expectAnswer(SILENCE_MS)
    if (message.type === 'token') return void giveToken(message.request, message.refused)
    onEvent(message)
    if (message.type === 'cursor') send({ type: 'here', lastId: lastId() })
  }

  async function giveToken(request: number, refused: string | undefined): Promise<void> {
    if (wanted) {
      wanted.request = request
      return
    }
    const current = { request }
    wanted = current
    const value = await token(refused).catch(() => undefined)
    wanted = undefined
    if (value !== undefined) send({ type: 'token', request: current.request, token: value })
  }

  function open(): void {
    if (!isOpen) {
      isOpen = true
      port = connect()
      expectAnswer(FIRST_ANSWER_MS)
    }
    send({ type: 'here', lastId: lastId() })
  }

  function close(): void {
    isOpen = false
    clearTimeout(silence)
    send({ type: 'gone' })
    port?.close() // a message would remove a page from the back/forward cache
    port = undefined
  }

  return { open, close }
}

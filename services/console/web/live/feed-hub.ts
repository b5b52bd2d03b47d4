import { isAfter } from './event-id.ts'
import type { FromPage, FromWorker } from './feed-messages.ts'
import type { FeedEvent, FeedStatus } from './movement.ts'
import { runStream, type StreamOptions } from './movement-stream.ts'

/** The worker's end of the connection to one page. */
export type PagePort = { postMessage(message: FromWorker): void }

type Recent = Extract<FeedEvent, { type: 'movement' }>

/** Enough for a page that was away for a while; for more it reloads. */
const KEPT = 1_000
/** A page that does not answer for this long was closed without a goodbye, or is frozen. */
const SILENCE_MS = 40_000
const PING_MS = 15_000
/** How long one page may take to give a token before the next is asked. */
const TOKEN_MS = 3_000
/** A page that is left for another one of the console comes back within this time. */
const LINGER_MS = 5_000

type Times = { silenceMs?: number; tokenMs?: number; lingerMs?: number }

/** Shares one stream among the pages of one session: the stream is open while a page listens. */
export class FeedHub {
  /** When each listening page was last heard. The page that came last is at the end. */
  readonly #heardAt = new Map<PagePort, number>()
  readonly #times: Times
  readonly #connect: StreamOptions['connect']
  #status: FeedStatus = 'connecting'
  #running: AbortController | undefined
  /** Everything up to this event is known. */
  #lastId = ''
  /** The movements after `#since`, oldest first. */
  #recent: Recent[] = []
  #since = ''
  #request = 0
  #onToken: (token: string) => void = () => undefined

  constructor({ connect, ...times }: Times & Pick<StreamOptions, 'connect'> = {}) {
    this.#connect = connect
    this.#times = times
  }

  receive(port: PagePort, message: FromPage): void {
    if (message.type === 'here') this.#welcome(port, message.lastId)
    if (message.type === 'gone') this.#drop(port)
    if (message.type === 'token' && message.request === this.#request) this.#onToken(message.token)
  }

  /** Asks all pages whether they are still there, and drops those that are not. */
  ping(): void {
    const { silenceMs = SILENCE_MS } = this.#times
    for (const [port, heardAt] of this.#heardAt) {
      if (heardAt + silenceMs < Date.now()) this.#drop(port)
      else port.postMessage({ type: 'cursor', id: this.#lastId })
    }
  }

  startPings(): void {
    setInterval(() => this.ping(), PING_MS)
  }

  #welcome(port: PagePort, lastId: string): void {
    const isNew = !this.#heardAt.has(port)
    this.#heardAt.set(port, Date.now())
    if (!isNew) return
    if (!this.#running) this.#start(lastId)
    port.postMessage({ type: 'status', status: this.#status })
    for (const event of this.#missedSince(lastId)) port.postMessage(event)
  }

  #missedSince(lastId: string): FeedEvent[] {
    if (lastId === '') return []
    if (this.#since === '' || isAfter(this.#since, lastId)) return [{ type: 'reset', id: this.#lastId }]
    return this.#recent.filter(({ id }) => isAfter(id, lastId))
  }

  #drop(port: PagePort): void {
    if (!this.#heardAt.delete(port) || this.#heardAt.size > 0) return
    setTimeout(() => {
      if (this.#heardAt.size === 0) this.#stop()
    }, this.#times.lingerMs ?? LINGER_MS)
  }

  #start(lastId: string): void {
    this.#running = new AbortController()
    this.#lastId = lastId
    this.#since = lastId
    this.#recent = []
    void runStream({
      token: (refused) => this.#token(refused),
      onEvent: (event) => this.#publish(event),
      signal: this.#running.signal,
      lastId,
      ...(this.#connect && { connect: this.#connect }),
    })
  }

  #stop(): void {
    this.#running?.abort()
    this.#running = undefined
  }

  #publish(event: FeedEvent): void {
    if (event.type === 'status') this.#status = event.status
    else this.#advance(event)
    for (const port of this.#heardAt.keys()) port.postMessage(event)
  }

  #advance(event: Exclude<FeedEvent, { type: 'status' }>): void {
    this.#lastId = event.id
    if (event.type === 'reset' || this.#since === '') {
      this.#since = event.id
      this.#recent = []
    }
    if (event.type !== 'movement') return
    this.#recent.push(event)
    if (this.#recent.length > KEPT) this.#since = this.#recent.shift()?.id ?? event.id
  }

  /** Asks one page after the other, the newest first: a page that was closed or is frozen does not answer. */
  async #token(refused: string | undefined): Promise<string> {
    const signal = this.#running?.signal
    const answer = Promise.withResolvers<string>()
    this.#request += 1
    this.#onToken = answer.resolve
    signal?.addEventListener('abort', () => answer.reject(signal.reason), { once: true })
    const message: FromWorker = { type: 'token', request: this.#request, refused }
    let asked: PagePort[] = []
    const askNext = () => {
      const ports = [...this.#heardAt.keys()].toReversed()
      const next = ports.find((port) => !asked.includes(port)) ?? ports[0]
      asked = next === undefined || asked.includes(next) ? [] : [...asked, next]
      next?.postMessage(message)
    }
    askNext()
    const timer = setInterval(askNext, this.#times.tokenMs ?? TOKEN_MS)
    return answer.promise.finally(() => clearInterval(timer))
  }
}

import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type StreamedEvent = { id: string; event: string; data: string }

/** A connection to a stream of server-sent events, which reads like a browser. */
export type EventStream = {
  status: number
  headers: IncomingMessage['headers']
  /** The whole body of a response that is not a stream. */
  body: Promise<string>
  /** Complete events so far. */
  events: StreamedEvent[]
  /** The value for `Last-Event-ID`: the newest id, with or without an event. */
  lastId(): string
  /** The first `count` events. Rejects if the stream ends before. */
  next(count: number): Promise<StreamedEvent[]>
  /** `broken`: the connection ended in the middle of the response. */
  ended: Promise<'complete' | 'broken'>
  /** Stops reading, so that the connection fills up. */
  pause(): void
  resume(): void
  close(): void
}

export async function openEvents(url: string, headers: Record<string, string>): Promise<EventStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = request(
    url,
    { headers: { accept: 'text/event-stream', ...headers }, agent: false },
    resolve,
  )
  outgoing.on('error', reject).end()
  const incoming = await promise
  const socket: Socket = incoming.socket
  const reader = new EventReader()
  let text = ''
  incoming.setEncoding('utf8').on('data', (part: string) => {
    text = reader.isOf(incoming) ? '' : text + part
    reader.read(part)
  })
  const ended = new Promise<'complete' | 'broken'>((end) => {
    incoming.on('end', () => end('complete')).on('error', () => end('broken'))
    incoming.on('close', () => end('broken'))
  })
  void ended.then(() => reader.wake())
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: ended.then(() => text),
    events: reader.events,
    lastId: () => reader.lastId,
    next: (count) => reader.next(count, ended),
    ended,
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void socket.destroy(),
  }
}

class EventReader {
  readonly events: StreamedEvent[] = []
  lastId = ''
  #rest = ''
  #wakers: (() => void)[] = []

  isOf({ headers }: IncomingMessage): boolean {
    return headers['content-type']?.startsWith('text/event-stream') === true
  }

  read(part: string): void {
    const blocks = (this.#rest + part).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) this.#take(block)
    if (blocks.length > 0) this.wake()
  }

  wake(): void {
    for (const waker of this.#wakers.splice(0)) waker()
  }

  async next(count: number, ended: Promise<unknown>): Promise<StreamedEvent[]> {
    let hasEnded = false
    void ended.then(() => (hasEnded = true))
    while (this.events.length < count) {
      if (hasEnded) throw new Error(`the stream ended after ${this.events.length} of ${count} events`)
      await new Promise<void>((resolve) => this.#wakers.push(resolve))
    }
    return this.events.slice(0, count)
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => pairOf(line)))
    this.lastId = fields.get('id') ?? this.lastId
    const data = fields.get('data')
    if (data !== undefined)
      this.events.push({ id: this.lastId, event: fields.get('event') ?? 'message', data })
  }
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf(': ')
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)]
}

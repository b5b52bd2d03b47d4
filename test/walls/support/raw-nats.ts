import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ApiKey } from '../../system/organization.ts'

/** A message on the wire, deliberately unchecked. */
export type RawMessage = {
  subject: string
  reply?: string
  headers?: readonly (readonly [name: string, value: string])[]
  payload?: string | Uint8Array
}

/** A client that sends messages that no client library would send. */
export type RawNats = {
  /** Returns at once; `flush` resolves when the broker has read it. */
  publish(...messages: RawMessage[]): void
  /**
   * Sends the line that announces a message, not the message: the broker refuses a size that is too large at once. It
   * would reset a connection with unread bytes, and its error could be lost.
   */
  announce(subject: string, bytes: number): void
  subscribe(subject: string, sid: string): void
  /** Resolves when the broker has processed everything sent before; rejects if the connection ended instead. */
  flush(): Promise<void>
  /** Subjects of the received messages, in their order. */
  heard: string[]
  /** Errors from the broker. */
  errors: string[]
  /** Resolves when the broker, or `close`, ended the connection. */
  closed: Promise<void>
  close(): void
}

/** Resolves when the broker accepts the connection; rejects with its error. */
export async function openRawNats(url: string, { clientId, clientSecret }: ApiKey): Promise<RawNats> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined) // a connection that is closed during a write reports a reset
  await once(socket, 'connect')
  const reader = new Reader(socket)
  const options = {
    verbose: false,
    pedantic: false,
    headers: true,
    no_responders: true,
    lang: 'raw',
    version: '1',
  }
  socket.write(`CONNECT ${JSON.stringify({ ...options, user: clientId, pass: clientSecret })}\r\n`)
  const raw: RawNats = {
    publish: (...messages) => void socket.write(Buffer.concat(messages.map((one) => frame(one)))),
    announce: (subject, bytes) => void socket.write(`PUB ${subject} ${bytes}\r\n`),
    subscribe: (subject, sid) => void socket.write(`SUB ${subject} ${sid}\r\n`),
    flush: () => reader.pong(),
    heard: reader.heard,
    errors: reader.errors,
    closed: reader.closed,
    close: () => void socket.destroy(),
  }
  await raw.flush()
  return raw
}

function frame({ subject, reply = '', headers, payload = '' }: RawMessage): Buffer {
  const body = Buffer.from(payload)
  const to = reply === '' ? subject : `${subject} ${reply}`
  if (!headers) return Buffer.concat([Buffer.from(`PUB ${to} ${body.length}\r\n`), body, Buffer.from('\r\n')])
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`NATS/1.0\r\n${lines}\r\n`)
  const sizes = `${head.length} ${head.length + body.length}`
  return Buffer.concat([Buffer.from(`HPUB ${to} ${sizes}\r\n`), head, body, Buffer.from('\r\n')])
}

/** Reads the broker's side of the protocol: lines, and after some lines the announced number of bytes. */
class Reader {
  readonly heard: string[] = []
  readonly errors: string[] = []
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  #rest = Buffer.alloc(0)
  #isOpen = true

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (part) => this.#read(part))
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()))
    void this.closed.then(() => this.#end())
  }

  pong(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ resolve, reject })
    this.#socket.write('PING\r\n')
    if (!this.#isOpen) this.#end()
    return promise
  }

  #end(): void {
    this.#isOpen = false
    const why = this.errors.at(-1) ?? 'no reason given'
    for (const { reject } of this.#waiting.splice(0))
      reject(new Error(`the broker ended the connection: ${why}`))
  }

  #read(part: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, part])
    for (;;) {
      const end = this.#rest.indexOf('\r\n')
      if (end === -1) return
      const line = this.#rest.subarray(0, end).toString()
      const size = /^H?MSG .* (\d+)$/.exec(line)?.[1]
      const used = end + 2 + (size === undefined ? 0 : Number(size) + 2)
      if (this.#rest.length < used) return
      this.#rest = this.#rest.subarray(used)
      this.#take(line)
    }
  }

  #take(line: string): void {
    const [word = '', subject = ''] = line.split(' ')
    if (word === 'PONG') this.#waiting.shift()?.resolve()
    else if (word === 'PING') this.#socket.write('PONG\r\n')
    else if (word === '-ERR') this.errors.push(line.slice(6, -1))
    else if (word === 'MSG' || word === 'HMSG') this.heard.push(subject)
  }
}

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One reply from the wire: header names in lower case, text in latin1. */
export type RawReply = { status: number; headers: Map<string, string>; body: string }

const PATIENCE_MS = 10_000

export async function openSocket(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined) // a write to a connection that the other side ends reports a reset
  await once(socket, 'connect')
  return socket
}

/** Sends raw bytes, ends the sending side, and returns everything received until the other side ended. */
export async function exchangeBytes(base: string, bytes: Uint8Array): Promise<Buffer> {
  const socket = await openSocket(base)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('the server neither answers nor ends')))
  const failed = Promise.withResolvers<never>()
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // A client that is refused while it sends may get a reset after the reply.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') failed.reject(error)
  })
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  socket.end(bytes)
  await Promise.race([once(socket, 'close'), failed.promise])
  return Buffer.concat(parts)
}

/**
 * Splits received bytes into replies. Throws if they are not HTTP or incomplete. `isHead`: whether the request was
 * meant to be HEAD.
 */
export function readReplies(bytes: Buffer, isHead: boolean): RawReply[] {
  const replies: RawReply[] = []
  let rest = bytes.toString('latin1')
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.slice(0, end)
    const [first = '', ...lines] = head.split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1])
    if (end === -1 || Number.isNaN(status))
      throw new Error(`not an HTTP reply: ${JSON.stringify(rest.slice(0, 200))}`)
    const headers = new Map(lines.map((line) => pairOf(line)))
    const following = rest.slice(end + 4)
    // A reply to HEAD has no body, but a reply to bytes that only begin like HEAD has one.
    const isBare = isHead && (following === '' || following.startsWith('HTTP/1.1 '))
    const hasBody = !isBare && status !== 204 && status !== 304 && status >= 200
    const { body, used } = hasBody ? readBody(headers, following) : { body: '', used: 0 }
    if (status >= 200) replies.push({ status, headers, body })
    rest = rest.slice(end + 4 + used)
  }
  return replies
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf(':')
  if (at < 1) throw new Error(`not a header: ${JSON.stringify(line)}`)
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}

function readBody(headers: Map<string, string>, rest: string): { body: string; used: number } {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(rest)
  const length = Number(headers.get('content-length') ?? rest.length)
  if (rest.length < length) throw new Error(`the body ends after ${rest.length} of ${length} bytes`)
  return { body: rest.slice(0, length), used: length }
}

function readChunks(rest: string): { body: string; used: number } {
  let [body, at] = ['', 0]
  for (;;) {
    const end = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.slice(at, end), 16)
    if (end === -1 || Number.isNaN(size)) throw new Error('a broken chunk')
    body += rest.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
    if (size === 0) return { body, used: at }
  }
}

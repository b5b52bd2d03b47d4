import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { Agent, request, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** A request as bytes on the wire: node:http does not change path and headers, as `fetch` would. */
export type HttpRequest = {
  method: string
  /** With its query string, sent as it is. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array | undefined
}

export type HttpReply = { status: number; headers: Headers; text: string }

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Sends one request to `base` and reads the whole reply, or the head of an endless one. Rejects without a reply. */
export async function send(base: string, { method, path, headers, body }: HttpRequest): Promise<HttpReply> {
  const { hostname, port } = new URL(base)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = request({ hostname, port, method, path, headers, agent }, resolve)
  outgoing.on('error', reject) // a refused body can end in an error after the reply, when nothing listens any more
  if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body))
  outgoing.end(body)
  const incoming = await promise
  const parts: Buffer[] = []
  if (isEndless(incoming)) incoming.destroy()
  else for await (const part of incoming) parts.push(part as Buffer)
  return {
    status: incoming.statusCode ?? 0,
    headers: headersOf(incoming),
    text: unpacked(Buffer.concat(parts), incoming.headers['content-encoding']).toString(),
  }
}

/** A reply to HEAD names the encoding too, and is empty. */
function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes
  if (encoding === 'gzip') return gunzipSync(bytes)
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes
}

const isEndless = ({ headers }: IncomingMessage) => headers['content-type'] === EVENT_STREAM_MEDIA_TYPE

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  return headers
}

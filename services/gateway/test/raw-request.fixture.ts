import { request as send, type IncomingHttpHeaders } from 'node:http'

export type Sent = {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The `error` of the envelope; throws when the body is not JSON. */
  error: () => Record<string, unknown>
}

const USER_AGENT = 'gateway-test/1'

/** Sends the path unchanged, while `fetch` would normalise it. An empty header value omits the header. */
export function rawRequest(origin: string, path: string, sent: Sent = {}): Promise<Reply> {
  const all = { 'user-agent': USER_AGENT, ...sent.headers }
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const outgoing = send({ hostname, port, path, method: sent.method ?? 'GET', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const status = response.statusCode ?? 0
        resolve({ status, headers: response.headers, text, error: () => JSON.parse(text).error })
      })
    })
    outgoing.on('error', reject)
    // Node sends the body of a DELETE without its length, so that the server takes it for the next request.
    if (sent.method === 'DELETE' && sent.body !== undefined)
      outgoing.setHeader('content-length', Buffer.byteLength(sent.body))
    outgoing.end(sent.body)
  })
}

import type { IncomingMessage } from 'node:http'

/** What a client may already have sent when it is refused. */
const AT_LEAST_BYTES = 4 * 2 ** 20

/**
 * Reads and drops the rest of a refused body, `maxBytes` of it or 4 MiB, whichever is more; beyond that the connection
 * ends. A connection that ends with unread bytes is reset, and the client may lose the error that it was sent.
 */
export function dropBody(raw: IncomingMessage, maxBytes = 0): void {
  let left = Math.max(maxBytes, AT_LEAST_BYTES)
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.destroy()
  })
  raw.resume()
}

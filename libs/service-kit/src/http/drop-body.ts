import type { IncomingMessage } from 'node:http'

/** A refused client may already have sent this much. */
const MIN_DROPPED_BYTES = 4 * 2 ** 20

/**
 * Reads and drops the rest of a refused body, up to `maxBytes` or 4 MiB, whichever is more. After that the connection
 * ends. A connection that ends with unread bytes is reset, and the client may lose the error that was sent to it.
 */
export function dropBody(raw: IncomingMessage, maxBytes = 0): void {
  let left = Math.max(maxBytes, MIN_DROPPED_BYTES)
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.destroy()
  })
  raw.resume()
}

import { createHmac } from 'node:crypto'

/** `sha256=<hex>`: HMAC-SHA256 over the timestamp, a dot and the raw bytes of the body. */
export function signature(secret: string, timestamp: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** `sha256=<hex>`: HMAC-SHA256 over the timestamp, a dot and the raw bytes of the body. */
export function signature(secret: string, timestamp: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** What one attempt signs for Standard Webhooks: the id of the delivery, the Unix second of the attempt, the body. */
export type StandardMessage = { id: string; timestamp: string; body: Uint8Array }

/**
 * `v1,<base64>` for each secret, separated by spaces (D13.6): HMAC-SHA256 over `<id>.<timestamp>.<body>`. The key is what
 * the text after `whsec_` means as base64, which 64 hex digits also are.
 */
export const standardSignature = (
  secrets: readonly string[],
  { id, timestamp, body }: StandardMessage,
): string =>
  secrets
    .map((secret) => Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64'))
    .map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'))
    .map((digest) => `v1,${digest}`)
    .join(' ')

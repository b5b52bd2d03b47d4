import type { Payload } from './payload.ts'
import type { Post, PostResult } from './http-post.ts'
import { signature, standardSignature } from './signature.ts'

/** Where to, and with which secrets: the newest first, then that of before a rotation (D13.6). */
export type Receiver = { url: string; secrets: readonly [string, ...string[]] }

/** Sends an attempt made at `attemptedAt` (ms) with the headers and signatures of the contract. Resolves and rejects like `Post`. */
export function postSigned(
  post: Post,
  { url, secrets }: Receiver,
  { event, deliveryId, timestamp, body }: Payload,
  attemptedAt: number,
  signal: AbortSignal,
): Promise<PostResult> {
  const now = String(Math.floor(attemptedAt / 1_000))
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1',
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signature(secrets[0], timestamp, body),
    'webhook-id': deliveryId,
    'webhook-timestamp': now,
    'webhook-signature': standardSignature(secrets, { id: deliveryId, timestamp: now, body }),
  }
  return post(url, headers, body, signal)
}

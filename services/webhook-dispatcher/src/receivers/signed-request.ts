import type { Payload } from './payload.ts'
import type { Post, PostResult } from './http-post.ts'
import { signature } from './signature.ts'

/** Sends one attempt with the headers and the signature of the contract. Resolves and rejects like `Post`. */
export function postSigned(
  post: Post,
  { url, secret }: { url: string; secret: string },
  { event, deliveryId, timestamp, body }: Payload,
  signal: AbortSignal,
): Promise<PostResult> {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1',
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signature(secret, timestamp, body),
  }
  return post(url, headers, body, signal)
}

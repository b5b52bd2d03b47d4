import { randomUUID } from 'node:crypto'
import { webhookEvents, type WebhookEventType } from '@whereabouts/contracts/messages/webhook-events'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { payloadOf, type Payload } from '../receivers/payload.ts'
import type { Post, PostResult } from '../receivers/http-post.ts'
import { postSigned, type Receiver } from '../receivers/signed-request.ts'

/** For all organizations, to limit the memory that test events to hanging receivers take. */
const AT_ONCE = 64

/** A synthetic event in the shape of a real one, with a new `delivery_id` (D11.5). */
export function testPayload(orgId: number, now: number, type: WebhookEventType = 'asset.moved'): Payload {
  const payload = payloadOf(type, {
    ...webhookEvents[type].example,
    delivery_id: randomUUID(),
    org_id: orgId,
    occurred_at: new Date(now).toISOString(),
  })
  if (!payload) throw new Error('the time of a test event is not a timestamp')
  return payload
}

export type SendTest = (target: Receiver, payload: Payload) => Promise<PostResult>

const never = new AbortController().signal

/**
 * Sends test events outside the queue of deliveries, which may be long. Address check, signature and timeout are the same
 * as for deliveries. Rejects with service_unavailable if too many run at once.
 */
export function testSender(post: Post): SendTest {
  let running = 0
  return async (target, payload) => {
    if (running >= AT_ONCE) throw serviceUnavailable()
    running += 1
    try {
      return await postSigned(post, target, payload, Date.now(), never)
    } finally {
      running -= 1
    }
  }
}

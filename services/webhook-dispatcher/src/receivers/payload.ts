import { epochMs, parseInstant } from '@whereabouts/contracts/rules/instant'
import {
  webhookEvents,
  type WebhookEventType,
  type WebhookMessage,
} from '@whereabouts/contracts/messages/webhook-events'

/** Shared by all attempts of a delivery, because the receiver must see the same bytes each time (D11.2). */
export type Payload = {
  event: WebhookEventType
  deliveryId: string
  /** Unix second of `occurred_at`, signed and sent. */
  timestamp: string
  body: Buffer
}

/** Undefined if `occurred_at` is not a timestamp. `message` has the schema of this type of event. */
export function payloadOf(event: WebhookEventType, message: WebhookMessage): Payload | undefined {
  const occurredAt = parseInstant(message.occurred_at)
  if (occurredAt === undefined) return undefined
  const body = {
    event,
    delivery_id: message.delivery_id,
    occurred_at: `${occurredAt.slice(0, 23)}Z`, // milliseconds, as in all of the API
    data: webhookEvents[event].dataOf(message),
  }
  return {
    event,
    deliveryId: message.delivery_id,
    timestamp: String(Math.floor(epochMs(occurredAt) / 1000)),
    body: Buffer.from(JSON.stringify(body)),
  }
}

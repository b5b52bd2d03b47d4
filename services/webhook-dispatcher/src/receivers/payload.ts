import { epochMs, parseInstant } from '@whereabouts/contracts/rules/instant'
import {
  webhookEvents,
  type WebhookEventType,
  type WebhookMessage,
} from '@whereabouts/contracts/messages/webhook-events'

/** Shared by all attempts of a delivery, because the receiver must see the same bytes each time (D11.2). */
export type Payload = {
  event: string
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

/** An event of the feed, as a request. `data` is JSON, as it was recorded. */
type EventRow = { delivery_id: string; type: string; occurred_at: string; data: string | null }

/** The same for an event of the feed. */
export function payloadOfRow({ delivery_id, type, occurred_at, data }: EventRow): Payload {
  const head = JSON.stringify({ event: type, delivery_id, occurred_at })
  return {
    event: type,
    deliveryId: delivery_id,
    timestamp: String(Math.floor(Date.parse(occurred_at) / 1000)),
    body: Buffer.from(`${head.slice(0, -1)},"data":${data}}`),
  }
}

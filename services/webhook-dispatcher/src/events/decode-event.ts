import {
  webhookEvents,
  webhookEventType,
  type WebhookEventType,
  type WebhookMessage,
} from '@whereabouts/contracts/messages/webhook-events'
import { decodeWith } from '@whereabouts/messaging/consume/decode'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'

/**
 * Throws PoisonError unless the message is an event of the organization in its subject. An unknown type of event is
 * requeued: in a rollout, another replica may know it.
 */
export function decodeEvent(message: Pick<IncomingMessage, 'subject' | 'data'>): {
  type: WebhookEventType
  event: WebhookMessage
} {
  const { subject } = message
  const type = webhookEventType(subject)
  if (type === undefined) throw new Error(`unknown event ${subject}`)
  const { message: definition } = webhookEvents[type]
  const event = decodeWith(`an ${type} event`, (payload) => definition.schema.parse(payload))(message)
  if (subject !== definition.subject(event)) throw new PoisonError('subject and organization differ')
  return { type, event }
}

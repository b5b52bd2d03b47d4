import { parseInstant } from '@whereabouts/contracts/rules/instant'
import { webhookEvents } from '@whereabouts/contracts/messages/webhook-events'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { BatchConsumer } from '@whereabouts/messaging/consume/consumer'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { traceFrom } from '@whereabouts/service-kit/observe/trace'
import type { Db } from '../db.ts'
import { decodeEvent } from './decode-event.ts'
import { recordEvents, type NewEvent } from './events.queries.ts'

/**
 * EVENTS → the feed. A message is acknowledged after the commit, so a crash only brings it again, which changes nothing.
 * `onRecorded` gets the organizations of each batch.
 */
export const eventRecorder = (
  across: Db,
  onRecorded: (orgIds: ReadonlySet<number>) => void = () => {},
): BatchConsumer<NewEvent> => ({
  durable: 'webhook-dispatcher-events',
  maxMessages: 1_000,
  maxBytes: 2 * 1024 * 1024,
  maxWaitMs: 5,
  fair: { groupOf: ({ subject }) => subject.slice(subject.lastIndexOf('.') + 1) },
  isOutage: isDatabaseOutage,
  decode: decodeNewEvent,
  async handle(events) {
    await recordEvents(across, events)
    onRecorded(new Set(events.map(({ orgId }) => orgId)))
  },
})

/** Throws like `decodeEvent`. */
function decodeNewEvent(message: Pick<IncomingMessage, 'subject' | 'data' | 'headers'>): NewEvent {
  const { type, event } = decodeEvent(message)
  const occurredAt = parseInstant(event.occurred_at)
  if (occurredAt === undefined) throw new PoisonError('occurred_at is not a timestamp')
  return {
    orgId: event.org_id,
    id: event.delivery_id,
    type,
    occurredAt: `${occurredAt.slice(0, 23)}Z`, // milliseconds, as in all of the API
    data: JSON.stringify(webhookEvents[type].dataOf(event)),
    trace: traceFrom(message.headers)?.sampled ? message.headers['traceparent'] : undefined,
    about: event.about && JSON.stringify(event.about),
  }
}

import { JSON_MEDIA_TYPE } from '../route.ts'
import { exampleOf, webhookEvents } from '../messages/webhook-events.ts'
import { sentTypes } from '../resources/webhooks/events.ts'

/** `AssetMoved` of `asset.moved`: its schemas are `AssetMovedEvent` and `AssetMovedData`. */
export function eventName(type: string): string {
  return type.replace(/(?:^|\.)./g, (start) => start.slice(-1).toUpperCase())
}

const EXAMPLE = {
  event: '',
  delivery_id: '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77',
  occurred_at: '2026-11-21T10:00:00.123Z',
}

/** The events that a webhook can ask for: their names in descriptions, schemas and examples. */
export const sentEvents = sentTypes.map((type) => {
  const { body, summary } = webhookEvents[type]
  const example = { ...EXAMPLE, event: type, data: exampleOf(type) }
  const name = eventName(type)
  return { type, body, summary, name, example, schema: `${name}Event` }
})

/** Events that the API sends. OpenAPI 3.0 has no place for them; `x-webhooks` is what tools read. */
export const eventSchemas = Object.fromEntries(sentEvents.map(({ schema, body }) => [schema, body]))

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Of each request of a webhook. */
export const webhookHeaders = [
  header('X-Service-Event', 'The value of `event`.'),
  header('X-Service-Delivery', 'The value of `delivery_id`.'),
  header('X-Service-Timestamp', 'Unix second of `occurred_at`.'),
  header(
    'X-Service-Signature',
    '`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>` with the secret of the webhook.',
  ),
  header('webhook-id', 'The value of `delivery_id`, as Standard Webhooks names it.'),
  header('webhook-timestamp', 'Unix second of this attempt.'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`. For 24 hours after a rotation two of them, separated by a space.',
  ),
]

/** How events come. */
export const EVENT_TEXT =
  'Sent to each webhook of the organization with this type in `event_types`. Administrators register webhooks in the console, ' +
  'keys with `webhooks:admin` over the API. Any 2xx is a success. There are three attempts, with waits of about 1 s and 5 s; ' +
  'with `retry: "extended"` they go on for 72 hours. Events may arrive more than once, and in another order.'

export const events = Object.fromEntries(
  sentEvents.map(({ type, ...row }) => [type, { post: operation(row) }]),
)

function operation({ name, schema, summary, example }: Omit<(typeof sentEvents)[number], 'type' | 'body'>) {
  return {
    operationId: `${name[0]?.toLowerCase()}${name.slice(1)}`,
    summary,
    description: EVENT_TEXT,
    tags: ['Events'],
    security: [],
    parameters: webhookHeaders,
    requestBody: {
      required: true,
      content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${schema}` }, example } },
    },
    responses: { '2XX': { description: 'Received' } },
  }
}

import { JSON_MEDIA_TYPE } from '../route.ts'
import { webhookEvents } from '../messages/webhook-events.ts'

const sent = Object.entries(webhookEvents).filter(([, { feedOnly }]) => !feedOnly)
const rows = sent.map(([type, { body, summary }]) => {
  const name = type.replace(/(?:^|\.)./g, (start) => start.slice(-1).toUpperCase()) // AssetMoved
  return { type, body, summary, name, schema: `${name}Event` }
})

/** Events that the API sends. OpenAPI 3.0 has no place for them; `x-webhooks` is what tools read. */
export const eventSchemas = Object.fromEntries(rows.map(({ schema, body }) => [schema, body]))

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const PARAMETERS = [
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

export const events = Object.fromEntries(
  rows.map(({ type, name, schema, summary }) => [type, { post: operation(name, schema, summary) }]),
)

function operation(name: string, schema: string, summary: string) {
  return {
    operationId: `${name[0]?.toLowerCase()}${name.slice(1)}`,
    summary,
    description:
      'Sent to the webhook of the organization, which an administrator registers in the console, or a key with `webhooks:admin`. Any 2xx is a ' +
      'success. There are three attempts, with waits of about 1 s and 5 s. Events have no order and may arrive ' +
      'more than once.',
    tags: ['Events'],
    security: [],
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: { [JSON_MEDIA_TYPE]: { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: { '2XX': { description: 'Received' } },
  }
}

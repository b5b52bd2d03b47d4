import { JSON_MEDIA_TYPE } from './route.ts'
import { AssetMovedBody } from './webhooks.ts'

/** Events that the API sends. OpenAPI 3.0 has no place for them; `x-webhooks` is what tools read. */
export const eventSchemas = { AssetMovedEvent: AssetMovedBody }

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export const events = {
  'asset.moved': {
    post: {
      operationId: 'assetMoved',
      summary: 'An asset moved',
      description:
        'Sent to the webhook of the organization, which an administrator registers in the console. Any 2xx is a ' +
        'success. There are three attempts, with waits of about 1 s and 5 s. Events have no order and may arrive ' +
        'more than once.',
      tags: ['Events'],
      security: [],
      parameters: [
        header('X-Service-Event', 'The value of `event`.'),
        header('X-Service-Delivery', 'The value of `delivery_id`.'),
        header('X-Service-Timestamp', 'Unix second of `occurred_at`.'),
        header(
          'X-Service-Signature',
          '`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>` with the secret of the webhook.',
        ),
      ],
      requestBody: {
        required: true,
        content: { [JSON_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/AssetMovedEvent' } } },
      },
      responses: { '2XX': { description: 'Received' } },
    },
  },
}

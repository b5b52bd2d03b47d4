import { z } from 'zod'
import { Id, Uuid } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf, listOf, page, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { text } from '../../rules/text.ts'
import { FILTER, settingsInput, settingsOutput, stateOutput } from './webhook-settings.ts'

/** The service checks scheme, host and credentials, because its operator may allow plain http for development. */
const URL_EXAMPLE = 'https://receiver.example/whereabouts'
const WebhookUrl = text(1, 2048).meta({
  example: URL_EXAMPLE,
  override: { format: 'uri', minLength: 1, maxLength: 2048, example: URL_EXAMPLE },
})

export const WebhookView = z
  .object({
    id: Id,
    url: z.string(),
    enabled: z
      .boolean()
      .meta({ description: 'Whether events are sent. While it is false, they are dropped.' }),
    secret: z.string().meta({
      description: 'Complete at creation and rotation. Otherwise masked except for its last four characters.',
    }),
    ...settingsOutput,
    ...stateOutput,
    created_at: WireInstant,
    updated_at: WireInstant,
  })
  .meta({
    id: 'Webhook',
    example: {
      id: 4503599627370497,
      url: URL_EXAMPLE,
      enabled: true,
      secret: 'whsec_…9e77',
      event_types: ['asset.moved'],
      retry: 'standard',
      filter: FILTER,
      primary: true,
      health: 'ok',
      disabled_because: null,
      created_at: '2026-11-21T10:00:00.000Z',
      updated_at: '2026-11-21T10:00:00.000Z',
    },
  })
export type WebhookView = z.infer<typeof WebhookView>

export const DeliveryView = z
  .object({
    delivery_id: Uuid,
    attempt: z.int(),
    attempted_at: WireInstant,
    outcome: z.string().meta({ example: 'delivered' }),
    status_code: z.int().nullable(),
    latency_ms: z.int(),
    error: z.string().nullable().meta({ example: 'answered 500', description: 'Null after a 2xx response.' }),
    test: z.boolean().meta({ description: 'True for a test event, which reports no actual movement.' }),
  })
  .meta({ id: 'WebhookDelivery' })
export type DeliveryView = z.infer<typeof DeliveryView>

/** The result of a test event. */
export const TestView = z
  .object({
    status_code: z.int().nullable().meta({ description: 'Null if the receiver sent no complete response.' }),
    error: z.string().nullable().meta({ description: 'Null after a 2xx response.' }),
  })
  .meta({ id: 'WebhookTest' })

const WebhookPath = z.strictObject({ webhook_id: pathId })
const row = { upstream: 'webhook-dispatcher', counted: true, described: true } as const

export const webhookRoutes = {
  listWebhooks: {
    ...row,
    method: 'GET',
    path: '/webhooks',
    access: 'webhooks:admin',
    summary: 'List the webhook of the organization',
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(WebhookView) },
    errors: ['validation_error'],
  },
  createWebhook: {
    ...row,
    method: 'POST',
    path: '/webhooks',
    access: 'webhooks:admin',
    role: 'admin',
    summary: 'Create the webhook of the organization',
    description: 'Returns the secret, which is shown only once. Further URLs: `POST /webhook-endpoints`.',
    body: z.strictObject({ url: WebhookUrl, enabled: z.boolean().optional(), ...settingsInput }),
    success: { status: 201, schema: dataOf(WebhookView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getWebhook: {
    ...row,
    method: 'GET',
    path: '/webhooks/{webhook_id}',
    access: 'webhooks:admin',
    summary: 'Retrieve the webhook',
    params: WebhookPath,
    success: { status: 200, schema: dataOf(WebhookView) },
    errors: ['validation_error', 'not_found'],
  },
  updateWebhook: {
    ...row,
    method: 'PATCH',
    path: '/webhooks/{webhook_id}',
    access: 'webhooks:admin',
    role: 'admin',
    summary: 'Change the webhook, or switch its deliveries on or off',
    description:
      'A field that is left out stays as it is; `filter` is replaced whole. Events from before a type was added, or ' +
      'from while deliveries were off, are not sent.',
    mediaTypes: ['application/merge-patch+json', 'application/json'],
    params: WebhookPath,
    body: z.strictObject({ url: WebhookUrl.optional(), enabled: z.boolean().optional(), ...settingsInput }),
    success: { status: 200, schema: dataOf(WebhookView) },
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
  rotateWebhookSecret: {
    ...row,
    method: 'POST',
    path: '/webhooks/{webhook_id}/rotate-secret',
    access: 'webhooks:admin',
    role: 'admin',
    summary: 'Replace the secret',
    description:
      'Returns the new secret, which is shown only once. For 24 hours, `webhook-signature` also has a signature with the ' +
      'secret before. `X-Service-Signature` is by the new secret at once. A second rotation ends the oldest secret.',
    params: WebhookPath,
    success: { status: 200, schema: dataOf(WebhookView) },
    errors: ['validation_error', 'not_found'],
  },
  deleteWebhook: {
    ...row,
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    access: 'webhooks:admin',
    role: 'admin',
    summary: 'Delete the webhook',
    params: WebhookPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  testWebhook: {
    ...row,
    method: 'POST',
    path: '/webhooks/{webhook_id}/test',
    access: 'webhooks:admin',
    role: 'admin',
    summary: 'Send a test event',
    description: 'Makes one attempt with an event `asset.moved`, even if deliveries are off.',
    params: WebhookPath,
    success: { status: 200, schema: dataOf(TestView) },
    errors: ['validation_error', 'not_found', 'rate_limited'],
  },
  listWebhookDeliveries: {
    ...row,
    method: 'GET',
    path: '/webhooks/{webhook_id}/deliveries',
    access: 'webhooks:admin',
    summary: 'List recent delivery attempts',
    description: 'Returns attempts, newest first.',
    params: WebhookPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(DeliveryView) },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>

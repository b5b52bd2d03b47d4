import type { Route } from '../../route.ts'
import { webhookRoutes } from './webhooks.ts'

const one = '/webhook-endpoints/{webhook_id}'

/** All webhooks of an organization: that of `/webhooks`, and up to ten further ones (D13.9). */
export const webhookEndpointRoutes = {
  listWebhookEndpoints: {
    ...webhookRoutes.listWebhooks,
    path: '/webhook-endpoints',
    summary: 'List all webhooks of the organization',
    description: 'The webhook of `/webhooks` has `primary: true` and comes first.',
  },
  createWebhookEndpoint: {
    ...webhookRoutes.createWebhook,
    path: '/webhook-endpoints',
    summary: 'Create a further webhook',
    description:
      'Returns the secret, which is shown only once. An organization has up to ten besides the webhook of `/webhooks`, ' +
      'which is created only there.',
  },
  getWebhookEndpoint: { ...webhookRoutes.getWebhook, path: one, summary: 'Retrieve a webhook' },
  updateWebhookEndpoint: {
    ...webhookRoutes.updateWebhook,
    path: one,
    summary: 'Change a webhook, or switch its deliveries on or off',
  },
  rotateWebhookEndpointSecret: {
    ...webhookRoutes.rotateWebhookSecret,
    path: `${one}/rotate-secret`,
  },
  deleteWebhookEndpoint: {
    ...webhookRoutes.deleteWebhook,
    path: one,
    summary: 'Delete a webhook',
    description: 'What waits for it is dropped.',
  },
  testWebhookEndpoint: { ...webhookRoutes.testWebhook, path: `${one}/test` },
} as const satisfies Record<string, Route>

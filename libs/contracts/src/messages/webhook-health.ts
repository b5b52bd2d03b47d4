import { z } from 'zod'
import { defineMessage, type Message } from './message.ts'

/** The health of a webhook changed. webhook-dispatcher writes it into the feed itself, so no stream has it. */
export const WebhookHealth = z.object({
  delivery_id: z.guid(),
  org_id: z.int(),
  occurred_at: z.string(),
  webhook: z.object({ id: z.int(), url: z.string(), health: z.string() }),
})
export type WebhookHealth = z.infer<typeof WebhookHealth>

const types = ['webhook.failing', 'webhook.recovered', 'webhook.disabled'] as const

export const webhookHealth = Object.fromEntries(
  types.map((type) => [
    type,
    defineMessage({
      name: type.replace('.', ' '),
      schema: WebhookHealth,
      keep: 'all',
      subject: (m) => `events.${type.replace('.', '-')}.${m.org_id}`,
      messageId: (m) => m.delivery_id,
    }),
  ]),
) as Record<(typeof types)[number], Message<typeof WebhookHealth>>

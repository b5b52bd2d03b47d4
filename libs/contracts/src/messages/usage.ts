import { z } from 'zod'

/** Asks a service what an organization stores in it, and may store (ADR 91). */
const usage = {
  request: z.object({ org_id: z.int() }),
  reply: z.array(z.object({ name: z.string(), limit: z.int(), used: z.int() })),
} as const
export const UsageReply = usage.reply
export type Usage = z.output<typeof UsageReply>[number]

export const catalogUsage = { subject: 'rpc.catalog.usage', ...usage } as const
export const trackingUsage = { subject: 'rpc.tracking.usage', ...usage } as const

/**
 * Keys asks a service to erase some rows of a deleted organization, again and again until none is `left` (ADR 126). Safe to
 * repeat. `deleted`: rows of this step.
 */
const erase = {
  request: z.object({ org_id: z.int().positive() }),
  reply: z.object({ deleted: z.int(), left: z.boolean() }),
} as const
export const ErasureReply = erase.reply
export type Erasure = z.output<typeof ErasureReply>

export const eraseFromCatalog = { subject: 'rpc.catalog.erase-organization', ...erase } as const
export const eraseFromTracking = { subject: 'rpc.tracking.erase-organization', ...erase } as const
export const eraseFromWebhooks = { subject: 'rpc.webhook-dispatcher.erase-organization', ...erase } as const

/** How long the broker keeps the last state of what belonged to a deleted organization: longer than followers are away. */
export const LAST_STATE_SECONDS = 2 * 3_600

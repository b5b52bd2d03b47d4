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

import { z } from 'zod'

/**
 * Asks the owner of a compacted log to publish one state again, named by its subject, because a follower could not read
 * the state in the log, or does not have it. Safe to repeat. `published` is false if the owner has no such state.
 */
const republish = {
  request: z.object({ subject: z.string().max(200) }),
  reply: z.object({ published: z.boolean() }),
} as const
export const RepublishReply = republish.reply

export const republishKeysState = { subject: 'rpc.keys.republish-state', ...republish } as const
export const republishCatalogState = { subject: 'rpc.catalog.republish-state', ...republish } as const

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

export type RepublishReply = z.output<typeof republish.reply>

/** The public ids at the end of a state's subject; undefined unless there are exactly `count`. */
export function idsOfSubject(parts: readonly string[], count: number): number[] | undefined {
  const ids = parts.map(Number)
  const isId = (id: number, at: number) => Number.isSafeInteger(id) && id > 0 && String(id) === parts[at]
  return ids.length === count && ids.every(isId) ? ids : undefined
}

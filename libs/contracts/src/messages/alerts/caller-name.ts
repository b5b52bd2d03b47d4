import { z } from 'zod'

/** Asks who a caller is, for others to read: a user by id, or an API key by its `jti`. Null for what is unknown. */
export const callerName = {
  subject: 'rpc.keys.caller-name',
  request: z.object({ org_id: z.int(), user_id: z.int().optional(), key_id: z.string().max(64).optional() }),
  reply: z.object({ id: z.int().nullable(), name: z.string().nullable() }),
} as const
export type CallerNameReply = z.output<typeof callerName.reply>

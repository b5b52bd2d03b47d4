import { z } from 'zod'
import { actorTypes, Changes } from '../resources/keys/audit.ts'
import { defineMessage } from './message.ts'

/**
 * Who changes something: a signed-in user, an API key, or an operator with the `ops` command. `id` is that of the user, the
 * `jti` of a key, and null for operators.
 */
export const Actor = z.object({ type: z.enum(actorTypes), id: z.union([z.int(), z.string()]).nullable() })
export type Actor = z.infer<typeof Actor>

/** Who sent a request. `actor` is left out where no credential is needed. */
export const Caller = z.object({ ip: z.string().nullable(), actor: Actor.optional() })
export type Caller = z.infer<typeof Caller>

/** One change of one thing (ADR 125). `id` makes recording it twice harmless. */
export const AuditEntry = z.object({
  id: z.uuid(),
  org_id: z.int(),
  at: z.iso.datetime(),
  actor: Actor,
  action: z.string(),
  subject: z.object({ type: z.string(), id: z.int().nullable(), external_key: z.string().nullable() }),
  changes: Changes,
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** Each service writes them, and keys records them. */
export const auditEntry = defineMessage({
  name: 'audit entry',
  schema: AuditEntry,
  keep: 'all',
  subject: (entry) => `audit.${entry.org_id}`,
  messageId: ({ id }) => id,
})

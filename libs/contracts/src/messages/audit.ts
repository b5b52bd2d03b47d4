import { z } from 'zod'
import { defineMessage } from './message.ts'

const SubjectId = z.union([z.int(), z.string()]).nullable()

export const actorTypes = ['user', 'key', 'operator'] as const

/**
 * Who changes something: a signed-in user, an API key, or an operator with the `ops` command. `id` is that of the user, the
 * `jti` of a key, and null for operators.
 */
export const Actor = z.object({ type: z.enum(actorTypes), id: SubjectId })
export type Actor = z.infer<typeof Actor>

/** Who sent a request. `actor` is left out where no credential is needed. */
export const Caller = z.object({ ip: z.string().nullable(), actor: Actor.optional() })
export type Caller = z.infer<typeof Caller>

/** From what to what, by field. A field whose value is a secret has null for both. */
export const Changes = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
export type Changes = z.infer<typeof Changes>

/** One change of one thing (ADR 125). `id` makes recording it twice harmless. */
export const AuditEntry = z.object({
  id: z.uuid(),
  org_id: z.int(),
  at: z.iso.datetime(),
  actor: Actor,
  action: z.string(),
  subject: z.object({ type: z.string(), id: SubjectId, external_key: z.string().nullable() }),
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

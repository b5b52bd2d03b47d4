import { z } from 'zod'

/** The header with which the gateway forwards a verified caller to a service. */
export const PRINCIPAL_HEADER = 'x-principal'

/** Each may do what the roles after it may, and more: a viewer reads, a member also writes, an admin also administers (D15.3). */
export const roles = ['admin', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

export const hasRole = (role: Role | undefined, least: Role): boolean =>
  role !== undefined && roles.indexOf(role) <= roles.indexOf(least)

/** The caller: verified once by the gateway, signed, and trusted by the services. */
export const Principal = z.object({
  kind: z.enum(['key', 'session']),
  org_id: z.int(),
  scopes: z.array(z.string()),
  /** The `jti` of the API key. */
  key_id: z.string().optional(),
  reader_key: z.string().nullable().optional(),
  user_id: z.int().optional(),
  role: z.enum(roles).optional(),
  session_id: z.string().optional(),
})

/** `orgId` is the only organization a request may touch. */
export type Principal = {
  kind: 'key' | 'session'
  orgId: number
  scopes: readonly string[]
  keyId?: string
  /** Of a key: the only reader that it may publish for, or null. Undefined if its token does not say. */
  readerKey?: string | null
  userId?: number
  role?: Role
  /** For sessions: the chain of refresh tokens. */
  sessionId?: string
  /** End of the principal's validity, for work that outlasts its request. Milliseconds since 1970. */
  expiresAtMs?: number
}

import { z } from 'zod'
import { KEY_TOKEN_SECONDS, SESSION_TOKEN_SECONDS } from '../resources/keys/token-claims.ts'
import { defineMessage } from './message.ts'

/** The compacted log of organizations, members and keys. It never has secrets or their hashes. */
export const OrgState = z.object({
  org_id: z.int(),
  revision: z.int(),
  name: z.string(),
  /** Deliveries stop at this time; never if null. */
  subscription_ends_at: z.string().nullable(),
  /** What it may store, where that differs from the default. Older releases leave it out. */
  limits: z.record(z.string(), z.int()).optional(),
  /** Days of history by type of asset, where that differs from the installation's. Older releases leave it out. */
  retention_days: z.record(z.string(), z.int()).optional(),
  /** IANA name of its time zone. Older releases leave it out. */
  timezone: z.string().optional(),
  /** When it was deleted. The state then has no name, and it is the last one. Older releases leave it out. */
  deleted_at: z.string().nullable().optional(),
})
export type OrgState = z.infer<typeof OrgState>

/** Until when deliveries of an organization continue. */
export const OrgSubscription = OrgState.pick({ org_id: true, revision: true, subscription_ends_at: true })
export type OrgSubscription = z.infer<typeof OrgSubscription>

/** What an organization may store, where that differs from the default. */
export const OrgLimits = OrgState.pick({ org_id: true, revision: true, limits: true, deleted_at: true })
export type OrgLimits = z.infer<typeof OrgLimits>

/** How long the history of an organization is kept, and in which time zone its days are. */
export const OrgRetention = OrgState.pick({
  org_id: true,
  revision: true,
  retention_days: true,
  timezone: true,
})
export type OrgRetention = z.infer<typeof OrgRetention>

export const KeyState = z.object({
  org_id: z.int(),
  id: z.int(),
  jti: z.string(),
  revision: z.int(),
  name: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** Requests per minute, if an operator set a limit for the key. */
  rate_limit_per_minute: z.int().nullable(),
  /** Reader messages per second, if an operator set a rate for the key. Older releases leave it out. */
  message_rate_per_second: z.int().nullable().optional(),
})
export type KeyState = z.infer<typeof KeyState>

const access = { org_id: true, revision: true, scopes: true, expires_at: true, revoked_at: true } as const

/** The permissions and the rate limit of a key. */
export const KeyAccess = KeyState.pick({ ...access, rate_limit_per_minute: true })
export type KeyAccess = z.infer<typeof KeyAccess>

/** How many reader messages a key may send. */
export const KeyRate = KeyState.pick({ ...access, jti: true, message_rate_per_second: true })
export type KeyRate = z.infer<typeof KeyRate>

/**
 * The membership of a user in one organization. If the user joins again, it has a higher revision and no
 * `deleted_at`.
 */
export const MemberState = z.object({
  org_id: z.int(),
  user_id: z.int(),
  revision: z.int(),
  role: z.string(),
  deleted_at: z.string().nullable(),
})
export type MemberState = z.infer<typeof MemberState>

/** The last change of a membership, including its end. A session made from an older revision has ended. */
export const MemberRevision = MemberState.pick({ revision: true })
export type MemberRevision = z.infer<typeof MemberRevision>

/** How long an access token may be valid after the end of its chain, plus the difference between clocks. */
export const CHAIN_END_SECONDS = Math.max(KEY_TOKEN_SECONDS, SESSION_TOKEN_SECONDS) + 300

/** The end of a session, or of the refresh tokens of one exchange. Its access tokens end too. It is final. */
export const ChainEnd = z.object({ org_id: z.int(), chain_id: z.guid(), ended_at: z.string() })
export type ChainEnd = z.infer<typeof ChainEnd>

export const orgState = defineMessage({
  name: 'organization state',
  schema: OrgState,
  keep: 'last',
  subject: (o) => `keys.org.${o.org_id}`,
})

export const keyState = defineMessage({
  name: 'API key state',
  schema: KeyState,
  keep: 'last',
  subject: (k) => `keys.key.${k.jti}`,
})

export const memberState = defineMessage({
  name: 'member state',
  schema: MemberState,
  keep: 'last',
  subject: (m) => `keys.member.${m.org_id}.${m.user_id}`,
})

export const chainEnd = defineMessage({
  name: 'end of a session or token chain',
  schema: ChainEnd,
  keep: 'last',
  ttlSeconds: CHAIN_END_SECONDS,
  subject: (c) => `keys.chain.${c.chain_id}`,
})

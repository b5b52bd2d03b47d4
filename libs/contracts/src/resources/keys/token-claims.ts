import { z } from 'zod'
import { roles } from '../../principal.ts'

/** Lifetime of the access token of an API key: `expires_in` of the token endpoint. */
export const KEY_TOKEN_SECONDS = 900
/** Lifetime of the access token of a session (D9.7). */
export const SESSION_TOKEN_SECONDS = 3_600
export const TOKEN_ALGORITHM = 'EdDSA'

/** Path in the service `keys` of the public keys that verify access tokens. */
export const JWKS_PATH = '/.well-known/jwks.json'

/** `iss` and `aud` contain the environment, so that a token of another one is refused (D9.2). */
export const tokenIssuer = (environment: string) => `whereabouts:${environment}`
export const tokenAudience = (environment: string) => `whereabouts-api:${environment}`

/**
 * The chain of refresh tokens of a token: a session, or the chain that an exchange of a key's credentials started. If
 * the chain ends, so does the token (ADR 40). Tokens of the release before have no chain.
 */
const ChainId = z.guid().optional()

/** `sub` is the key's `jti`. The token does not show whether the key is still valid: see the stream KEYS. */
const KeyClaims = z.object({
  typ: z.literal('key'),
  sub: z.guid(),
  org_id: z.int(),
  scopes: z.array(z.string()),
  /** The only reader that the key may publish for; null if it may publish for any. Tokens of the release before lack it. */
  reader_key: z.string().nullable().optional(),
  sid: ChainId,
})

/**
 * `sub` is the user's id as decimal text, which JWT requires. `member_revision` is the revision of the membership when
 * the token was made. A change of role or the end of the membership raises it, and the token is refused.
 */
const SessionClaims = z.object({
  typ: z.literal('session'),
  sub: z.string().regex(/^[1-9][0-9]{0,15}$/),
  org_id: z.int(),
  role: z.enum(roles),
  member_revision: z.int(),
  sid: ChainId,
})

/** Claims of an access token, in addition to `iss`, `aud`, `iat` and `exp`. */
export const TokenClaims = z.discriminatedUnion('typ', [KeyClaims, SessionClaims])
export type TokenClaims = z.infer<typeof TokenClaims>

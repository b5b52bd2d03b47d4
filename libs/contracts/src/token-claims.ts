import { z } from 'zod'
import { roles } from './principal.ts'

/** Life of an API key's access token: `expires_in` of the token endpoint. */
export const KEY_TOKEN_SECONDS = 900
/** Life of a session's access token (D9.7). */
export const SESSION_TOKEN_SECONDS = 3_600
export const TOKEN_ALGORITHM = 'EdDSA'

/** Below the service root of `keys`: the public keys that verify access tokens. */
export const JWKS_PATH = '/.well-known/jwks.json'

/** `iss` and `aud` carry the environment, so that a token of the other one is refused (D9.2). */
export const tokenIssuer = (environment: string) => `whereabouts:${environment}`
export const tokenAudience = (environment: string) => `whereabouts-api:${environment}`

/**
 * The chain of refresh tokens a token belongs to: a session, or what one exchange of a key's credentials began. Its end is
 * the token's end (ADR 40). Tokens of the release before have none.
 */
const ChainId = z.guid().optional()

/** `sub` is the key's `jti`. Whether the key still stands is not in the token: see the KEYS stream. */
const KeyClaims = z.object({
  typ: z.literal('key'),
  sub: z.guid(),
  org_id: z.int(),
  scopes: z.array(z.string()),
  sid: ChainId,
})

/**
 * `sub` is the user's id in decimal: JWT wants text there. `member_revision` is that of the membership the token was
 * made from: a change of role or the end of the membership has a higher one, and the token is refused.
 */
const SessionClaims = z.object({
  typ: z.literal('session'),
  sub: z.string().regex(/^[1-9][0-9]{0,15}$/),
  org_id: z.int(),
  role: z.enum(roles),
  member_revision: z.int(),
  sid: ChainId,
})

/** What an access token says besides `iss`, `aud`, `iat` and `exp`. */
export const TokenClaims = z.discriminatedUnion('typ', [KeyClaims, SessionClaims])
export type TokenClaims = z.infer<typeof TokenClaims>

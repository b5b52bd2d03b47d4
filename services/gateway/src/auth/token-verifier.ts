import {
  JWKS_PATH,
  TOKEN_ALGORITHM,
  tokenAudience,
  TokenClaims,
  tokenIssuer,
} from '@whereabouts/contracts/resources/keys/token-claims'
import { invalidToken, serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

/** What a genuine token says. `expiresAt` in Unix seconds. */
export type VerifiedToken = { claims: TokenClaims; expiresAt: number }

export type TokenVerifier = {
  /** Throws 401 for an invalid or expired token, and 503 if the signing keys are not available. */
  verify(token: string): Promise<VerifiedToken>
  /** Fetches the signing keys now. Rejects if `keys` is unreachable; the known ones stay in use. */
  refresh(): Promise<void>
  /** Whether the signing keys were ever fetched. */
  hasKeys(): boolean
}

type Options = { keysUrl: string; environment: string; log: Logger; now?: () => number }

/** Unknown `kid`s cause at most one fetch in this time. */
const COOLDOWN_MS = 2_000

/**
 * Verifies signature, issuer, audience and expiry of an access token. Fetches the signing keys once, and again for an
 * unknown `kid`. The cached keys never expire, because then an outage of `keys` would lock everyone out.
 */
export function tokenVerifier({ keysUrl, environment, log, now = Date.now }: Options): TokenVerifier {
  const jwks = createRemoteJWKSet(new URL(`${keysUrl}${JWKS_PATH}`), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: COOLDOWN_MS,
    timeoutDuration: 2_000,
  })
  const expected = {
    algorithms: [TOKEN_ALGORITHM],
    issuer: tokenIssuer(environment),
    audience: tokenAudience(environment),
    requiredClaims: ['exp'],
  }
  return {
    async verify(token) {
      const { payload } = await jwtVerify(token, jwks, { ...expected, currentDate: new Date(now()) }).catch(
        (error: unknown) => {
          throw isTokensFault(error) ? invalidToken() : unreachable(error, log)
        },
      )
      const claims = TokenClaims.safeParse(payload)
      if (!claims.success || payload.exp === undefined) throw invalidToken()
      return { claims: claims.data, expiresAt: payload.exp }
    },
    refresh: () => jwks.reload(),
    hasKeys: () => jwks.jwks() !== undefined,
  }
}

/** Jose throws its own errors both for bad tokens and for bad responses of `keys`. */
function isTokensFault(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false
  return !['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes(error.code)
}

function unreachable(cause: unknown, log: Logger) {
  log.warn({ err: cause }, 'signing key fetch failed')
  return serviceUnavailable(cause)
}

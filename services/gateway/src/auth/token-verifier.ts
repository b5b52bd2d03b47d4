import {
  JWKS_PATH,
  TOKEN_ALGORITHM,
  tokenAudience,
  TokenClaims,
  tokenIssuer,
} from '@whereabouts/contracts/token-claims'
import { invalidToken, serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Logger } from '@whereabouts/service-kit/logging'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

/** What a genuine token says. `expiresAt` in Unix seconds. */
export type VerifiedToken = { claims: TokenClaims; expiresAt: number }

export type TokenVerifier = {
  /** Throws the 401 of a token that is not ours or no longer good, and 503 when the keys cannot be had. */
  verify(token: string): Promise<VerifiedToken>
  /** Fetches the signing keys now. Rejects when `keys` cannot be reached; those known stay in use. */
  refresh(): Promise<void>
  /** Whether the signing keys were ever fetched. */
  hasKeys(): boolean
}

type Options = { keysUrl: string; environment: string; log: Logger; now?: () => number }

/** A `kid` nobody knows makes us ask at most this often, whoever sends how many of them. */
const COOLDOWN_MS = 2_000

/**
 * Verifies signature, issuer, audience and life of an access token. The signing keys are fetched once and again for a
 * `kid` they lack: they never grow stale by themselves, since then a restart of `keys` would lock everyone out.
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

/** Jose throws its own errors for both: what is wrong with the token, and with the answer of `keys`. */
function isTokensFault(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false
  return !['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes(error.code)
}

function unreachable(cause: unknown, log: Logger) {
  log.warn({ err: cause }, 'signing key fetch failed')
  return serviceUnavailable(cause)
}

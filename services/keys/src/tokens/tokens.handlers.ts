import { KEY_TOKEN_SECONDS } from '@whereabouts/contracts/token-claims'
import type { TokenRequest } from '@whereabouts/contracts/tokens'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import { Answer, type Context, type Handlers } from '@whereabouts/service-kit/serve'
import { findKeyById, touchKey, type UsableKey } from '../api-keys/api-keys.queries.ts'
import { findClient } from '../api-keys/clients.ts'
import type { Db, Tenants } from '../db.ts'
import { invalidClient, invalidRefreshToken } from '../errors.ts'
import type { AccessTokens } from './access-tokens.ts'
import { readBasic, readCredentials, required, type ClientCredentials } from './credentials.ts'
import { rotateRefreshToken } from './rotation.ts'
import { hashSecret, NO_STORE, randomToken } from './secrets.ts'
import { refusalOrThrottle, type Throttle } from './throttle.ts'
import { startChain } from './tokens.queries.ts'

export type TokenDeps = { tenants: Tenants; db: Db; throttle: Throttle; accessTokens: AccessTokens }

export function tokenHandlers(deps: TokenDeps): Pick<Handlers<'keys'>, 'issueToken'> {
  return {
    issueToken: (context) =>
      context.body.grant_type === 'client_credentials'
        ? exchangeCredentials(deps, context)
        : refreshTokens(deps, context),
  }
}

type Request = Context<'issueToken'>

async function exchangeCredentials(deps: TokenDeps, { body, headers, clientAddress }: Request) {
  const credentials = credentialsOf(body, headers.authorization)
  const key = await findClient(deps.db, credentials)
  // The secret cannot be guessed and costs one digest to check, so it is checked first: whoever holds it gets in, however
  // often others have failed under the same id.
  if (!key)
    throw refusalOrThrottle(
      deps.throttle,
      `client|${clientAddress}|${credentials.clientId.toLowerCase()}`,
      invalidClient,
    )
  await deps.accessTokens.prepare()
  const refreshToken = randomToken()
  await deps.tenants.transaction(key.org_id, async (tx) => {
    await startChain(tx, { orgId: key.org_id, keyId: key.id }, hashSecret(refreshToken))
    await touchKey(tx, key.org_id, key.id)
  })
  return tokenAnswer(deps.accessTokens, key, refreshToken)
}

function credentialsOf(body: TokenRequest, authorization: string | undefined): ClientCredentials {
  const reading = readCredentials(body, authorization)
  if ('problems' in reading) rejectIfAny(reading.problems)
  if ('clientSecret' in reading) return reading
  throw invalidClient()
}

async function refreshTokens(deps: TokenDeps, { body, headers, clientAddress }: Request) {
  if (body.refresh_token === undefined) rejectIfAny([required('refresh_token')])
  // Whoever names a client must name the one the token was issued to (RFC 6749, 6); naming it is optional.
  const named = body.client_id ?? readBasic(headers.authorization ?? '')?.clientId
  await deps.accessTokens.prepare()
  const rotated = await rotateRefreshToken(deps, body.refresh_token ?? '', async (tx, token) => {
    const key = token.key_id === null ? undefined : await findKeyById(tx, token.org_id, token.key_id)
    if (named !== undefined && key?.jti !== named.toLowerCase()) return undefined
    return key?.is_usable ? key : undefined
  })
  if (!rotated) throw refusalOrThrottle(deps.throttle, `refresh|${clientAddress}`, invalidRefreshToken)
  return tokenAnswer(deps.accessTokens, rotated.owner, rotated.refreshToken)
}

async function tokenAnswer(tokens: AccessTokens, key: UsableKey, refreshToken: string) {
  const claims = { typ: 'key', sub: key.jti, org_id: key.org_id, scopes: key.scopes } as const
  const pair = {
    access_token: await tokens.sign(claims, KEY_TOKEN_SECONDS),
    refresh_token: refreshToken,
    token_type: 'Bearer' as const,
    expires_in: KEY_TOKEN_SECONDS,
  }
  return new Answer(pair, NO_STORE)
}

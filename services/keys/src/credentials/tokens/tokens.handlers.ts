import { KEY_TOKEN_SECONDS } from '@whereabouts/contracts/resources/keys/token-claims'
import type { TokenRequest } from '@whereabouts/contracts/resources/keys/tokens'
import { readBasic, type ClientCredentials } from '@whereabouts/service-kit/http/client-credentials'
import { invalidRefreshToken, rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Context, type Handlers } from '@whereabouts/service-kit/http/serve'
import { findKeyById, touchKey, type UsableKey } from '../api-keys/api-keys.queries.ts'
import { findClient } from '../api-keys/clients.ts'
import type { Attempts } from '../../attempts/attempts.ts'
import type { Db, Tenants } from '../../db.ts'
import { invalidClient, scopeNotAvailable } from '../../errors.ts'
import type { AccessTokens } from './access-tokens.ts'
import { readCredentials, required } from './credentials.ts'
import { rotateRefreshToken } from './rotation.ts'
import { hashSecret, NO_STORE, randomToken } from '../secrets.ts'
import { refuse, type Throttle } from './throttle.ts'
import { narrowChain, startChain } from './tokens.queries.ts'

export type TokenDeps = {
  tenants: Tenants
  db: Db
  throttle: Throttle
  attempts: Attempts
  accessTokens: AccessTokens
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

export function tokenHandlers(deps: TokenDeps): Pick<Handlers<'keys'>, 'createToken'> {
  return {
    createToken: (context) =>
      context.body.grant_type === 'client_credentials'
        ? exchangeCredentials(deps, context)
        : refreshTokens(deps, context),
  }
}

type Request = Context<'createToken'>

async function exchangeCredentials(deps: TokenDeps, { body, headers, clientAddress }: Request) {
  const credentials = credentialsOf(body, headers.authorization)
  const key = await findClient(deps.db, credentials)
  // Checked before any limit: the secret cannot be guessed and its check costs one digest. So failures of others under
  // the same id do not lock the owner out.
  if (!key) return refuse(deps, clientAddress, `client|${credentials.clientId.toLowerCase()}`, invalidClient)
  const owner = { orgId: key.org_id, keyId: key.id }
  await deps.attempts.issue(owner)
  const scopes = narrowed(body.scope, key.scopes)
  await deps.accessTokens.prepare()
  const refreshToken = randomToken()
  const chainId = await deps.tenants.transaction(key.org_id, async (tx) => {
    const id = await startChain(tx, owner, hashSecret(refreshToken), scopes ?? null)
    await touchKey(tx, key.org_id, key.id)
    return id
  })
  return tokenReply(deps.accessTokens, key, { refreshToken, chainId, scopes: scopes ?? key.scopes })
}

function credentialsOf(body: TokenRequest, authorization: string | undefined): ClientCredentials {
  const reading = readCredentials(body, authorization)
  if ('problems' in reading) rejectIfAny(reading.problems)
  if ('clientSecret' in reading) return reading
  throw invalidClient()
}

async function refreshTokens(deps: TokenDeps, { body, headers, clientAddress }: Request) {
  if (body.refresh_token === undefined) rejectIfAny([required('refresh_token')])
  // The client is optional, but must be the one the token was issued to (RFC 6749, 6).
  const named = body.client_id ?? readBasic(headers.authorization ?? '')?.clientId
  await deps.accessTokens.prepare()
  let granted: string[] = []
  const rotated = await rotateRefreshToken(
    deps,
    body.refresh_token ?? '',
    async (tx, token) => {
      const key = token.key_id === null ? undefined : await findKeyById(tx, token.org_id, token.key_id)
      if (named !== undefined && key?.jti !== named.toLowerCase()) return undefined
      return key?.is_usable ? key : undefined
    },
    async (tx, token, key) => {
      const before = token.scopes ?? key.scopes
      const scopes = narrowed(body.scope, before)
      if (scopes) await narrowChain(tx, token.org_id, token.chain_id, scopes)
      granted = scopes ?? before
    },
  )
  if (rotated === 'replayed') deps.onChange()
  if (!rotated || rotated === 'replayed') return refuse(deps, clientAddress, 'refresh', invalidRefreshToken)
  return tokenReply(deps.accessTokens, rotated.owner, { ...rotated, scopes: granted })
}

/**
 * The available scopes that `scope` names, in the available order; undefined if it names none. Throws if it names any
 * other.
 */
function narrowed(scope: string | undefined, available: readonly string[]): string[] | undefined {
  const wanted = (scope ?? '').split(' ').filter((name) => name !== '')
  if (wanted.length === 0) return undefined
  if (wanted.some((name) => !available.includes(name))) throw scopeNotAvailable(available)
  return available.filter((name) => wanted.includes(name))
}

type Granted = { refreshToken: string; chainId: string; scopes: readonly string[] }

async function tokenReply(tokens: AccessTokens, key: UsableKey, { refreshToken, chainId, scopes }: Granted) {
  const ofKey = { sub: key.jti, org_id: key.org_id, scopes: [...scopes], reader_key: key.reader_key }
  const claims = { typ: 'key', ...ofKey, sid: chainId } as const
  const pair = {
    access_token: await tokens.sign(claims, KEY_TOKEN_SECONDS),
    refresh_token: refreshToken,
    token_type: 'Bearer' as const,
    expires_in: KEY_TOKEN_SECONDS,
    scope: scopes.join(' '),
  }
  return new Reply(pair, NO_STORE)
}

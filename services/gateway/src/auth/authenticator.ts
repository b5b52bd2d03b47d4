import type { KeyAccess } from '@whereabouts/contracts/messages/keys-state'
import type { Principal } from '@whereabouts/contracts/principal'
import type { TokenClaims } from '@whereabouts/contracts/resources/keys/token-claims'
import type { Upstream } from '@whereabouts/contracts/route'
import { invalidToken, unauthorized } from '@whereabouts/service-kit/errors/errors'
import { signPrincipal } from '@whereabouts/service-kit/http/principal'
import { LRUCache } from 'lru-cache'
import type { KeyObject } from 'node:crypto'
import type { KeyDirectory } from './key-directory.ts'
import type { TokenVerifier, VerifiedToken } from './token-verifier.ts'

const keyRevoked = () => unauthorized('API key has been revoked')
const keyExpired = () => unauthorized('API key has expired')

/** A verified caller, as the rest of the pipeline needs it. */
export type Caller = {
  principal: Principal
  /** `principal`, signed for one of the services; once for each service and token. */
  tokenFor(upstream: Upstream): Promise<string>
  /**
   * The same for work that may outlive the access token: good for the start of one request, while the key, or the membership
   * and the session, last. Throws 401 when they have ended.
   */
  lastingTokenFor(upstream: Upstream): Promise<string>
  /** The bucket of the API key or of the user. */
  bucket: string
  ownLimitPerMinute: number | undefined
  /** When the token expires, in Unix seconds. Endless responses end then. */
  expiresAt: number
}

type Options = {
  verifier: TokenVerifier
  directory: KeyDirectory
  signingKey: KeyObject
  now?: () => number
}

/** A genuine token and its caller. */
type Known = VerifiedToken & { signed?: { caller: Caller; revision: number; until: number } }

const MAX_KNOWN = 20_000
/** Life of a signed principal. The leeway covers clock differences and slow requests. */
const PRINCIPAL_SECONDS = 900
const LEEWAY_SECONDS = 60

/**
 * Turns a bearer token into a caller, or throws its 401. Signatures are checked and made once per token. The status of
 * its API key or membership is looked up for every request.
 */
export function authenticator({ verifier, directory, signingKey, now = Date.now }: Options) {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN })

  async function findToken(token: string): Promise<Known> {
    const earlier = known.get(token)
    if (earlier && earlier.expiresAt * 1000 > now()) return earlier
    known.delete(token)
    if (earlier) throw invalidToken()
    const verified = await verifier.verify(token)
    known.set(token, verified)
    return verified
  }

  function callerOf(entry: Known, principal: Principal, status?: KeyAccess): Caller {
    const revision = status?.revision ?? 0
    const seconds = now() / 1000
    const { signed } = entry
    const last = entry.expiresAt + LEEWAY_SECONDS
    const isFresh = signed && (signed.until >= last || signed.until > seconds + LEEWAY_SECONDS)
    if (isFresh && signed.revision === revision) return signed.caller
    const until = Math.floor(Math.min(last, seconds + PRINCIPAL_SECONDS))
    const tokens = new Map<Upstream, Promise<string>>()
    const caller: Caller = {
      principal,
      tokenFor(upstream) {
        const token = tokens.get(upstream) ?? signPrincipal(signingKey, principal, until, upstream)
        tokens.set(upstream, token)
        return token
      },
      async lastingTokenFor(upstream) {
        const { principal: current } = await admitted(entry.claims)
        return signPrincipal(signingKey, current, Math.floor(now() / 1000) + LEEWAY_SECONDS, upstream)
      },
      bucket: principal.kind === 'key' ? `key:${principal.keyId}` : `user:${principal.userId}`,
      ownLimitPerMinute: status?.rate_limit_per_minute ?? undefined,
      expiresAt: entry.expiresAt,
    }
    entry.signed = { caller, revision, until }
    return caller
  }

  /** A token of the last release names no chain; it lives for an hour at most. */
  async function checkChain({ org_id, sid }: TokenClaims): Promise<void> {
    if (sid !== undefined && (await directory.isChainEnded(org_id, sid))) throw invalidToken()
  }

  /** Who the token names, as they are now. Throws the 401 of a key, a membership or a session that has ended. */
  async function admitted(claims: TokenClaims): Promise<{ principal: Principal; status?: KeyAccess }> {
    if (claims.typ === 'session') {
      const { org_id, sub, role, member_revision } = claims
      if (!(await directory.isSessionValid(org_id, sub, member_revision))) throw invalidToken()
      await checkChain(claims)
      const principal: Principal = { kind: 'session', orgId: org_id, scopes: [], userId: Number(sub), role }
      return { principal: claims.sid === undefined ? principal : { ...principal, sessionId: claims.sid } }
    }
    const status = await directory.find(claims.sub)
    if (!status || status.org_id !== claims.org_id) throw invalidToken()
    if (status.revoked_at !== null) throw keyRevoked()
    if (status.expires_at !== null && Date.parse(status.expires_at) <= now()) throw keyExpired()
    await checkChain(claims)
    // The scopes of the token that the key still has.
    const scopes = status.scopes.filter((scope) => claims.scopes.includes(scope))
    const principal: Principal = { kind: 'key', orgId: status.org_id, scopes, keyId: claims.sub }
    const { reader_key: readerKey } = claims
    return { principal: readerKey === undefined ? principal : { ...principal, readerKey }, status }
  }

  return async (token: string): Promise<Caller> => {
    const entry = await findToken(token)
    const { principal, status } = await admitted(entry.claims)
    return callerOf(entry, principal, status)
  }
}

export type Authenticate = ReturnType<typeof authenticator>

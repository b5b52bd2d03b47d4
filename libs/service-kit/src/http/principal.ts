import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { Principal as PrincipalClaims, type Principal } from '@whereabouts/contracts/principal'
import type { Upstream } from '@whereabouts/contracts/route'

const ISSUER = 'whereabouts-gateway'
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')
const MAX_CACHED = 20_000

/** The gateway's private key, from its 32-byte Ed25519 seed in base64url. */
export function principalPrivateKey(seed: string): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, bytes32(seed)]),
    format: 'der',
    type: 'pkcs8',
  })
}

/**
 * The gateway's public keys, from a list of their 32 raw bytes in base64url, separated by commas. There are two while
 * the gateway's key is changed.
 */
export const principalPublicKeys = (list: string): KeyObject[] => list.split(',').map(principalPublicKey)

function principalPublicKey(raw: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_ED25519, bytes32(raw)]), format: 'der', type: 'spki' })
}

function bytes32(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url')
  if (bytes.length !== 32) throw new Error('an Ed25519 key must be 32 bytes in base64url')
  return bytes
}

/**
 * Signs the caller for one service, until the caller's own token expires: `expiresAt` in Unix seconds.
 */
export async function signPrincipal(
  key: KeyObject,
  principal: Principal,
  expiresAt: number,
  audience: Upstream,
): Promise<string> {
  const claims = {
    kind: principal.kind,
    org_id: principal.orgId,
    scopes: principal.scopes,
    key_id: principal.keyId,
    reader_key: principal.readerKey,
    user_id: principal.userId,
    role: principal.role,
    session_id: principal.sessionId,
  }
  return signFor(key, claims, expiresAt, audience)
}

const signFor = (key: KeyObject, claims: JWTPayload, expiresAt: number, audience: Upstream) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setExpirationTime(expiresAt)
    .sign(key)

/** Signs that the gateway itself calls, without a caller. Routes below /internal require it. */
export const signGateway = (key: KeyObject, expiresAt: number, audience: Upstream): Promise<string> =>
  signFor(key, { kind: 'gateway' }, expiresAt, audience)

export type PrincipalVerifier = (token: string | undefined) => Promise<Principal | undefined>

type Verified = { principal: Principal; expiresAtMs: number }

/**
 * Verifies tokens of `signPrincipal` for this service; undefined for any other token. The gateway sends the same
 * token as long as the caller does, so a verified token is cached until it expires, and most requests need no
 * signature check.
 */
export function principalVerifier(
  keys: readonly KeyObject[],
  audience: Upstream,
  now: () => number = Date.now,
): PrincipalVerifier {
  const cache = new LRUCache<string, Verified>({ max: MAX_CACHED })
  return async (token) => {
    if (!token) return undefined
    const known = cache.get(token)
    if (known && known.expiresAtMs > now()) return known.principal
    cache.delete(token)
    const verified = await verifyByAny(token, keys, (each, key) => verify(each, key, audience, now))
    if (!verified) return undefined
    cache.set(token, verified)
    return verified.principal
  }
}

/** Whether a token was made by `signGateway` for this service. */
export function gatewayVerifier(
  keys: readonly KeyObject[],
  audience: Upstream,
  now: () => number = Date.now,
): (token: string) => Promise<boolean> {
  const verifyOne = async (token: string, key: KeyObject) =>
    (await payloadOf(token, key, now, audience))?.['kind'] === 'gateway' || undefined
  return async (token) => (await verifyByAny(token, keys, verifyOne)) === true
}

async function verifyByAny<T>(
  token: string,
  keys: readonly KeyObject[],
  verifyOne: (token: string, key: KeyObject) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const key of keys) {
    const verified = await verifyOne(token, key)
    if (verified) return verified
  }
  return undefined
}

/** The claims of a valid token of the gateway; undefined for any other token. */
async function payloadOf(token: string, key: KeyObject, now: () => number, audience?: Upstream) {
  const options = {
    algorithms: ['EdDSA'],
    issuer: ISSUER,
    currentDate: new Date(now()),
    requiredClaims: ['exp'],
    ...(audience !== undefined && { audience }),
  }
  return (await jwtVerify(token, key, options).catch(() => undefined))?.payload
}

/**
 * A gateway of the release before names no audience. Its tokens are accepted too while it is replaced. No other gateway
 * signs such tokens, so they are gone 15 minutes after the last one was replaced (ADR 40).
 */
async function verify(
  token: string,
  key: KeyObject,
  audience: Upstream,
  now: () => number,
): Promise<Verified | undefined> {
  const payload = await payloadOf(token, key, now)
  if (payload?.aud !== undefined && payload.aud !== audience) return undefined
  const claims = PrincipalClaims.safeParse(payload)
  if (!claims.success || payload?.exp === undefined) return undefined
  const { kind, org_id, scopes, key_id, reader_key, user_id, role, session_id } = claims.data
  const principal: Principal = {
    kind,
    orgId: org_id,
    scopes,
    expiresAtMs: payload.exp * 1000,
    ...(key_id !== undefined && { keyId: key_id }),
    ...(reader_key !== undefined && { readerKey: reader_key }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(role !== undefined && { role }),
    ...(session_id !== undefined && { sessionId: session_id }),
  }
  return { principal, expiresAtMs: payload.exp * 1000 }
}

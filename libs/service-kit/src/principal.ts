import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { Principal as PrincipalClaims, type Principal } from '@whereabouts/contracts/principal'

const ISSUER = 'whereabouts-gateway'
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')
const MAX_CACHED = 20_000

/** The gateway's key from its 32-byte Ed25519 seed in base64url. */
export function principalPrivateKey(seed: string): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, bytes32(seed)]),
    format: 'der',
    type: 'pkcs8',
  })
}

/**
 * The services' keys from the 32 raw bytes of each public key in base64url, separated by commas: two while the
 * gateway's key is changed.
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

/** Signs who calls, for the time the caller's own token is still good: `expiresAt` in Unix seconds. */
export async function signPrincipal(
  key: KeyObject,
  principal: Principal,
  expiresAt: number,
): Promise<string> {
  const claims = {
    kind: principal.kind,
    org_id: principal.orgId,
    scopes: principal.scopes,
    key_id: principal.keyId,
    user_id: principal.userId,
    role: principal.role,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(ISSUER)
    .setExpirationTime(expiresAt)
    .sign(key)
}

export type PrincipalVerifier = (token: string | undefined) => Promise<Principal | undefined>

type Verified = { principal: Principal; expiresAtMs: number }

/**
 * Verifies what `signPrincipal` made; undefined for anything else. The gateway sends the same token for as long as the
 * caller does, so a verdict is remembered until it expires and no signature is checked per request.
 */
export function principalVerifier(
  keys: readonly KeyObject[],
  now: () => number = Date.now,
): PrincipalVerifier {
  const cache = new Map<string, Verified>()
  return async (token) => {
    if (!token) return undefined
    const known = cache.get(token)
    if (known && known.expiresAtMs > now()) return known.principal
    cache.delete(token)
    const verified = await verifyByAny(token, keys, now)
    if (!verified) return undefined
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(token, verified)
    return verified.principal
  }
}

async function verifyByAny(token: string, keys: readonly KeyObject[], now: () => number) {
  for (const key of keys) {
    const verified = await verify(token, key, now)
    if (verified) return verified
  }
  return undefined
}

async function verify(token: string, key: KeyObject, now: () => number): Promise<Verified | undefined> {
  const options = { algorithms: ['EdDSA'], issuer: ISSUER, currentDate: new Date(now()) }
  const verdict = await jwtVerify(token, key, options).catch(() => undefined)
  const claims = PrincipalClaims.safeParse(verdict?.payload)
  if (!claims.success || verdict?.payload.exp === undefined) return undefined
  const { kind, org_id, scopes, key_id, user_id, role } = claims.data
  const principal: Principal = {
    kind,
    orgId: org_id,
    scopes,
    expiresAtMs: verdict.payload.exp * 1000,
    ...(key_id !== undefined && { keyId: key_id }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(role !== undefined && { role }),
  }
  return { principal, expiresAtMs: verdict.payload.exp * 1000 }
}

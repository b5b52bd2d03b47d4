import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The first encrypts, all decrypt. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]]
type SecretKey = { id: string; key: Buffer }

/** A stored secret: nonce, ciphertext and tag together, and the id of the key. */
export type SealedSecret = { secret_ciphertext: Buffer; secret_key_id: string }

/** `previous`: the secret before the last rotation, while it also signs (D13.6). */
export type SealedSecrets = SealedSecret & { previous: SealedSecret | undefined }

/** Reads `<id>:<base64url of 32 bytes>[,…]`. Undefined if a part is malformed or an id occurs twice. */
export function parseSecretKeys(raw: string): SecretKeys | undefined {
  const keys: SecretKey[] = []
  for (const part of raw.split(',')) {
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9_-]{43})$/.exec(part.trim()) ?? []
    if (id === undefined || encoded === undefined || keys.some((known) => known.id === id)) return undefined
    keys.push({ id, key: Buffer.from(encoded, 'base64url') })
  }
  const [first, ...others] = keys
  return first && [first, ...others]
}

/** 32 random bytes as `whsec_` and 64 hex digits (D11.1). */
export const mintSecret = (): string => PREFIX + randomBytes(32).toString('hex')

/** The form in which a secret is shown after its creation. */
export const maskedSecret = (lastFour: string): string => `${PREFIX}…${lastFour}`

/**
 * Encrypts for storage. The organization is authenticated, so that a row copied to another organization does not
 * open.
 */
export function sealSecret([current]: SecretKeys, orgId: number, secret: string): SealedSecret {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(ownerOf(orgId))
  const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { secret_ciphertext: sealed, secret_key_id: current.id }
}

/** Throws if the key is not configured, or `sealSecret` did not make these bytes for this organization. */
export function openSecret(keys: SecretKeys, orgId: number, stored: SealedSecret): string {
  const key = keys.find(({ id }) => id === stored.secret_key_id)?.key
  if (!key) throw new Error(`no key with id ${stored.secret_key_id} in WEBHOOK_SECRET_KEYS`)
  const sealed = stored.secret_ciphertext
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(ownerOf(orgId)).setAuthTag(sealed.subarray(-TAG_BYTES))
  return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * The secrets that sign, the newest first. Throws if that does not open. The one before may be lost: receivers that have
 * the newest still verify.
 */
export function openSecrets(
  open: (stored: SealedSecret) => string,
  stored: SealedSecrets,
  onLost: (error: unknown, lost: SealedSecret) => void = () => {},
): [string, ...string[]] {
  const newest = open(stored)
  if (!stored.previous) return [newest]
  try {
    return [newest, open(stored.previous)]
  } catch (error) {
    onLost(error, stored.previous)
    return [newest]
  }
}

const ownerOf = (orgId: number) => Buffer.from(`org:${orgId}`)

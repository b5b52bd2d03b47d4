import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { seal, unseal } from '../seal.ts'

/** A new signing key as it is stored. */
export type SealedKey = { kid: string; public_key: string; private_key: Buffer }

/** A key was sealed under another secret. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError'
}

/** Makes an Ed25519 key; `public_key` is its `x` in base64url, `private_key` is sealed under the 32-byte secret. */
export function newSealedKey(secret: Buffer): SealedKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const kid = randomBytes(12).toString('base64url')
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('an Ed25519 key exports its x')
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return { kid, public_key: x, private_key: seal(der, kid, secret) }
}

/** Throws `SealedKeyError` if the key was sealed under another secret. */
export function openSealedKey({ kid, private_key: sealed }: SealedKey, secret: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: unseal(sealed, kid, secret), format: 'der', type: 'pkcs8' })
  } catch (cause) {
    throw new SealedKeyError(`signing key ${kid} cannot be opened: was SIGNING_KEY_SECRET changed?`, {
      cause,
    })
  }
}

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

/** A new signing key as it is stored. */
export type SealedKey = { kid: string; public_key: string; private_key: Buffer }

/** A key was sealed under another secret. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError'
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Makes an Ed25519 key; `public_key` is its `x` in base64url, `private_key` is sealed under the 32-byte secret. */
export function newSealedKey(secret: Buffer): SealedKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const kid = randomBytes(12).toString('base64url')
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Error('an Ed25519 key exports its x')
  return { kid, public_key: x, private_key: seal(privateKey, kid, secret) }
}

/** AES-256-GCM: nonce, tag, ciphertext. The kid is authenticated, so that two rows cannot be swapped. */
function seal(key: KeyObject, kid: string, secret: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(kid),
  )
  const sealed = Buffer.concat([cipher.update(key.export({ format: 'der', type: 'pkcs8' })), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Throws `SealedKeyError` if the key was sealed under another secret. */
export function openSealedKey({ kid, private_key: sealed }: SealedKey, secret: Buffer): KeyObject {
  try {
    const iv = sealed.subarray(0, IV_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(kid)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const key = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  } catch (cause) {
    throw new SealedKeyError(`signing key ${kid} cannot be opened: was SIGNING_KEY_SECRET changed?`, {
      cause,
    })
  }
}

import { LRUCache } from 'lru-cache'
import { openSecret, type SealedSecret, type SecretKeys } from './secrets.ts'

/**
 * Keeps decrypted secrets, so that an attempt need not decrypt its own. A secret that was re-encrypted, or belongs to
 * a new webhook, has other bytes and is opened again.
 */
export class OpenedSecrets {
  readonly #keys: SecretKeys
  readonly #kept: LRUCache<number, { sealed: Buffer; secret: string }>

  constructor(keys: SecretKeys, max = 10_000) {
    this.#keys = keys
    this.#kept = new LRUCache({ max })
  }

  /** Throws like `openSecret`. */
  open(orgId: number, stored: SealedSecret): string {
    const known = this.#kept.get(orgId)
    if (known?.sealed.equals(stored.secret_ciphertext)) return known.secret
    const secret = openSecret(this.#keys, orgId, stored)
    this.#kept.set(orgId, { sealed: stored.secret_ciphertext, secret })
    return secret
  }
}

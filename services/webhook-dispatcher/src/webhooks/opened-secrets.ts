import { LRUCache } from 'lru-cache'
import { openSecret, type SealedSecret, type SecretKeys } from './secrets.ts'

/** Keeps decrypted secrets by their sealed bytes, so that an attempt need not decrypt its own. */
export class OpenedSecrets {
  readonly #keys: SecretKeys
  readonly #kept: LRUCache<string, string>

  constructor(keys: SecretKeys, max = 10_000) {
    this.#keys = keys
    this.#kept = new LRUCache({ max })
  }

  /** Throws like `openSecret`. */
  open(orgId: number, stored: SealedSecret): string {
    const name = `${orgId} ${stored.secret_ciphertext.toString('latin1')}`
    const known = this.#kept.get(name)
    if (known !== undefined) return known
    const secret = openSecret(this.#keys, orgId, stored)
    this.#kept.set(name, secret)
    return secret
  }
}

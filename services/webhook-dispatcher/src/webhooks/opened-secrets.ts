import { openSecret, type SealedSecret, type SecretKeys } from './secrets.ts'

const MAX_KEPT = 10_000

/**
 * Decrypted secrets, so that not every attempt decrypts its own. What was sealed anew or
 * belongs to a new webhook has other bytes and is opened again. Throws as `openSecret` does.
 */
export class OpenedSecrets {
  readonly #keys: SecretKeys
  readonly #kept = new Map<number, { sealed: Buffer; secret: string }>()

  constructor(keys: SecretKeys) {
    this.#keys = keys
  }

  open(orgId: number, stored: SealedSecret): string {
    const known = this.#kept.get(orgId)
    if (known?.sealed.equals(stored.secret_ciphertext)) return known.secret
    const secret = openSecret(this.#keys, orgId, stored)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(orgId, { sealed: stored.secret_ciphertext, secret })
    return secret
  }
}

import { KeyState } from '@whereabouts/contracts/messages/keys-state'

/** What the gateway must know of an API key beyond its token. */
export type KeyStanding = {
  orgId: number
  revision: number
  scopes: readonly string[]
  revoked: boolean
  /** Milliseconds since 1970; undefined never. */
  expiresAtMs: number | undefined
  /** Where an operator set one (D9.9). */
  ownLimitPerMinute: number | undefined
}

export function standingOf(state: KeyState): KeyStanding {
  return {
    orgId: state.org_id,
    revision: state.revision,
    scopes: state.scopes,
    revoked: state.revoked_at !== null,
    expiresAtMs: state.expires_at === null ? undefined : Date.parse(state.expires_at),
    ownLimitPerMinute: state.rate_limit_per_minute ?? undefined,
  }
}

/** Subjects of the KEYS stream that make up the view. */
export const KEY_SUBJECTS = 'keys.key.*'
const PREFIX = KEY_SUBJECTS.slice(0, -1)

/** Every API key of the installation in memory, from the KEYS stream. States may come twice and late, never lost. */
export class KeyView {
  readonly #keys = new Map<string, KeyStanding>()

  /** Throws for a state that cannot be read; its key is then unknown, so that `keys` is asked instead. */
  apply(subject: string, payload: unknown): void {
    if (!subject.startsWith(PREFIX)) return
    const jti = subject.slice(PREFIX.length)
    const parsed = KeyState.safeParse(payload)
    if (!parsed.success) {
      this.#keys.delete(jti)
      throw parsed.error
    }
    const known = this.#keys.get(jti)
    if (known === undefined || known.revision < parsed.data.revision)
      this.#keys.set(jti, standingOf(parsed.data))
  }

  get(jti: string): KeyStanding | undefined {
    return this.#keys.get(jti)
  }

  get size(): number {
    return this.#keys.size
  }

  /** The stream was made anew. */
  clear(): void {
    this.#keys.clear()
  }
}

import {
  CHAIN_END_SECONDS,
  ChainEnd,
  KeyAccess,
  MemberState,
} from '@whereabouts/contracts/messages/keys-state'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { StateView } from '@whereabouts/messaging/state-view'

/** What the gateway needs to know about an API key beyond its token. */
export type KeyStatus = {
  orgId: number
  revision: number
  scopes: readonly string[]
  /** Milliseconds since 1970; undefined if it is not revoked. */
  revokedAtMs: number | undefined
  /** Milliseconds since 1970; undefined never. */
  expiresAtMs: number | undefined
  /** Set by an operator (D9.9). */
  ownLimitPerMinute: number | undefined
}

/** The last change of a membership, including its end. A session made from an older revision has ended. */
export type MemberStatus = { revision: number }

export const keyStatusOf = (payload: unknown): KeyStatus => {
  const state = KeyAccess.parse(payload)
  return {
    orgId: state.org_id,
    revision: state.revision,
    scopes: state.scopes,
    revokedAtMs: state.revoked_at === null ? undefined : Date.parse(state.revoked_at),
    expiresAtMs: state.expires_at === null ? undefined : Date.parse(state.expires_at),
    ownLimitPerMinute: state.rate_limit_per_minute ?? undefined,
  }
}

export const memberStatusOf = (payload: unknown): MemberStatus => {
  const { revision } = MemberState.parse(payload)
  return { revision }
}

type States = { key: KeyStatus; member: MemberStatus; chain: never }

/**
 * All API keys and members of the installation, from the KEYS stream, and the sessions and token chains that ended while
 * one of their tokens may still be valid.
 */
export class KeyView {
  readonly states: StateView<States>
  /**
   * When each may be deleted, in milliseconds since 1970; roughly the oldest first. Not an LRU cache, and not forgotten
   * like other states: an eviction would make an ended session valid again.
   */
  readonly #endedChains = new Map<string, number>()
  readonly #now: () => number

  /** `onRevocation`: called with the seconds from the revocation of a key until it was refused here. */
  constructor(onRevocation: (seconds: number) => void = () => undefined, now: () => number = Date.now) {
    this.#now = now
    const measure = (key: KeyStatus | undefined, before: KeyStatus | undefined) => {
      const revokedAtMs = before?.revokedAtMs === undefined ? key?.revokedAtMs : undefined
      // Not for states read at the start or after a break, because their revocations are older.
      if (revokedAtMs && this.states.isCurrent()) onRevocation(Math.max(0, now() - revokedAtMs) / 1_000)
    }
    this.states = new StateView<States>({
      stream: 'KEYS',
      kinds: {
        key: { read: keyStatusOf, onChange: (_jti, key, before) => measure(key, before) },
        member: { read: memberStatusOf },
        chain: { read: (payload) => this.#endChain(payload) },
      },
      owner: republishKeysState.subject,
    })
  }

  isChainEnded(chainId: string): boolean {
    return this.#endedChains.has(chainId)
  }

  #endChain(payload: unknown): undefined {
    const { chain_id: chainId, ended_at: endedAt } = ChainEnd.parse(payload)
    const until = Date.parse(endedAt) + CHAIN_END_SECONDS * 1_000
    if (until > this.#now()) this.#endedChains.set(chainId, until)
    for (const [id, past] of this.#endedChains) {
      if (past > this.#now()) break
      this.#endedChains.delete(id)
    }
  }
}

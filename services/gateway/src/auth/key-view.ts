import {
  CHAIN_END_SECONDS,
  ChainEnd,
  KeyAccess,
  MemberRevision,
} from '@whereabouts/contracts/messages/keys-state'
import { StateView } from '@whereabouts/messaging/state/state-view'

type States = { key: KeyAccess; member: MemberRevision; chain: never }

/**
 * All API keys and members of the installation, from the KEYS stream, and the sessions and token chains that ended while
 * one of their tokens may still be valid.
 */
export class KeyView {
  readonly states: StateView<States>
  /**
   * When each may be deleted, in milliseconds since 1970; roughly the oldest first. Not an LRU cache, and not evicted
   * like other states: an eviction would make an ended session valid again.
   */
  readonly #endedChains = new Map<string, number>()
  readonly #now: () => number

  /** `onRevocation`: called with the seconds from the revocation of a key until it was refused here. */
  constructor(onRevocation: (seconds: number) => void = () => undefined, now: () => number = Date.now) {
    this.#now = now
    this.states = new StateView<States>({
      key: {
        read: (payload) => KeyAccess.parse(payload),
        onChange: (_jti, key, before) => {
          // Not for states read at the start or after a break, because their revocations are older.
          if (!key?.revoked_at || before?.revoked_at || !this.states.isCurrent()) return
          onRevocation(Math.max(0, now() - Date.parse(key.revoked_at)) / 1_000)
        },
      },
      member: { read: (payload) => MemberRevision.parse(payload) },
      chain: { read: (payload) => this.#endChain(payload) },
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

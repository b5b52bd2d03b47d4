import {
  CHAIN_END_SECONDS,
  ChainEnd,
  KeyAccess,
  MemberState,
} from '@whereabouts/contracts/messages/keys-state'

/** What the gateway needs to know about an API key beyond its token. */
export type KeyStatus = {
  orgId: number
  revision: number
  scopes: readonly string[]
  revoked: boolean
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
    revoked: state.revoked_at !== null,
    expiresAtMs: state.expires_at === null ? undefined : Date.parse(state.expires_at),
    ownLimitPerMinute: state.rate_limit_per_minute ?? undefined,
  }
}

export const memberStatusOf = (payload: unknown): MemberStatus => {
  const { revision } = MemberState.parse(payload)
  return { revision }
}

/** Subjects of the KEYS stream in the view; it ignores organizations. */
export const KEY_SUBJECTS = 'keys.>'
const KEY = 'keys.key.'
const MEMBER = 'keys.member.'
const CHAIN = 'keys.chain.'

/**
 * All API keys and members of the installation, from the KEYS stream, in memory, and the sessions and token chains that
 * ended while one of their tokens may still be valid. States may come twice and late.
 */
export class KeyView {
  readonly #keys = new Map<string, KeyStatus>()
  readonly #members = new Map<string, MemberStatus>()
  /**
   * When each may be deleted, in milliseconds since 1970; roughly the oldest first. Not an LRU cache: an eviction would
   * make an ended session valid again.
   */
  readonly #endedChains = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Throws for a state that cannot be read. Its key or member is then unknown, so that `keys` is asked instead. */
  apply(subject: string, payload: unknown): void {
    if (subject.startsWith(KEY)) keep(this.#keys, subject.slice(KEY.length), payload, keyStatusOf)
    if (subject.startsWith(CHAIN)) this.#endChain(payload)
    if (subject.startsWith(MEMBER)) keep(this.#members, subject.slice(MEMBER.length), payload, memberStatusOf)
  }

  /** The state of this subject cannot be read. Until it can, `keys` is asked. */
  forget(subject: string): void {
    if (subject.startsWith(KEY)) this.#keys.delete(subject.slice(KEY.length))
    if (subject.startsWith(MEMBER)) this.#members.delete(subject.slice(MEMBER.length))
  }

  isChainEnded(chainId: string): boolean {
    return this.#endedChains.has(chainId)
  }

  #endChain(payload: unknown): void {
    const { chain_id: chainId, ended_at: endedAt } = ChainEnd.parse(payload)
    const until = Date.parse(endedAt) + CHAIN_END_SECONDS * 1_000
    if (until > this.#now()) this.#endedChains.set(chainId, until)
    for (const [id, past] of this.#endedChains) {
      if (past > this.#now()) break
      this.#endedChains.delete(id)
    }
  }

  get(jti: string): KeyStatus | undefined {
    return this.#keys.get(jti)
  }

  getMember(orgId: number, userId: string): MemberStatus | undefined {
    return this.#members.get(`${orgId}.${userId}`)
  }

  get size(): number {
    return this.#keys.size
  }

  /** The stream was recreated. */
  clear(): void {
    this.#keys.clear()
    this.#members.clear()
    this.#endedChains.clear()
  }
}

function keep<S extends { revision: number }>(
  statuses: Map<string, S>,
  id: string,
  payload: unknown,
  read: (payload: unknown) => S,
): void {
  const known = statuses.get(id)
  statuses.delete(id) // it stays deleted if the new state cannot be read
  const next = read(payload)
  statuses.set(id, known === undefined || known.revision < next.revision ? next : known)
}

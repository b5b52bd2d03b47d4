import {
  CHAIN_END_SECONDS,
  ChainEnd,
  KeyAccess,
  MemberState,
} from '@whereabouts/contracts/messages/keys-state'

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

/** The last change of a membership, its end included. A session made from an older one is over. */
export type MemberStanding = { revision: number }

export const keyStandingOf = (payload: unknown): KeyStanding => {
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

export const memberStandingOf = (payload: unknown): MemberStanding => {
  const { revision } = MemberState.parse(payload)
  return { revision }
}

/** Subjects of the KEYS stream that make up the view; organizations come along and are passed over. */
export const KEY_SUBJECTS = 'keys.>'
const KEY = 'keys.key.'
const MEMBER = 'keys.member.'
const CHAIN = 'keys.chain.'

/**
 * Every API key and every member of the installation in memory, from the KEYS stream, and the sessions and token chains
 * that ended while a token of theirs may be alive. States may come twice and late.
 */
export class KeyView {
  readonly #keys = new Map<string, KeyStanding>()
  readonly #members = new Map<string, MemberStanding>()
  /** Until when each is remembered, in milliseconds since 1970; the oldest first, give or take. */
  readonly #endedChains = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Throws for a state that cannot be read; what it is of is then unknown, so that `keys` is asked instead. */
  apply(subject: string, payload: unknown): void {
    if (subject.startsWith(KEY)) keep(this.#keys, subject.slice(KEY.length), payload, keyStandingOf)
    if (subject.startsWith(CHAIN)) this.#endChain(payload)
    if (subject.startsWith(MEMBER))
      keep(this.#members, subject.slice(MEMBER.length), payload, memberStandingOf)
  }

  /** What is behind this subject cannot be read any more: until it can, `keys` is asked. */
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

  get(jti: string): KeyStanding | undefined {
    return this.#keys.get(jti)
  }

  getMember(orgId: number, userId: string): MemberStanding | undefined {
    return this.#members.get(`${orgId}.${userId}`)
  }

  get size(): number {
    return this.#keys.size
  }

  /** The stream was made anew. */
  clear(): void {
    this.#keys.clear()
    this.#members.clear()
    this.#endedChains.clear()
  }
}

function keep<S extends { revision: number }>(
  standings: Map<string, S>,
  id: string,
  payload: unknown,
  read: (payload: unknown) => S,
): void {
  const known = standings.get(id)
  standings.delete(id) // and it stays so if the new state cannot be read
  const next = read(payload)
  standings.set(id, known === undefined || known.revision < next.revision ? next : known)
}

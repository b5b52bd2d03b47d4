import { KeyRate } from '@whereabouts/contracts/messages/keys-state'
import { allowanceOf } from '@whereabouts/contracts/messages/reader-rates'
import type { OrgRate } from '../../readers/org-rate.ts'

/** A sum is kept this long, because no message says that a key has expired. */
const SUM_MS = 1_000
const SUBJECT = 'keys.key.'
const SCOPE = 'scans:write'
/** Older than each revision, so that the state counts when it comes again. */
const UNREADABLE = -1

type Key = {
  orgId: number
  revision: number
  /** Set by an operator; null for the default. */
  perSecond: number | null
  expiresAtMs: number
  isLive: boolean
}

/**
 * What each organization may send, from its live keys with `scans:write` in the KEYS stream. A message does not say which
 * key sent it (ADR 43). An organization without a known key may send as much as one key may.
 */
export class KeyRates {
  /** By the subject of their states. */
  readonly #keys = new Map<string, Key>()
  readonly #byOrg = new Map<number, Set<Key>>()
  readonly #sums = new Map<number, OrgRate & { at: number }>()

  /** Throws for an unreadable state, which changes nothing. States may arrive twice and out of order. */
  apply(subject: string, payload: unknown): void {
    if (!subject.startsWith(SUBJECT)) return
    const key = keyOf(KeyRate.parse(payload))
    const known = this.#keys.get(subject)
    if (!known || known.revision < key.revision) this.#replace(subject, known, key)
  }

  /** The newest state of a key cannot be read: it counts as a key without a rate of its own until it is published again. */
  markUnreadable(subject: string): void {
    const known = this.#keys.get(subject)
    if (known) this.#replace(subject, known, { ...known, perSecond: null, revision: UNREADABLE })
  }

  /** Call if the stream was re-created. */
  clear(): void {
    this.#keys.clear()
    this.#byOrg.clear()
    this.#sums.clear()
  }

  rateOf(orgId: number, now = Date.now()): OrgRate {
    const known = this.#sums.get(orgId)
    if (known && now - known.at < SUM_MS) return known
    const live = [...(this.#byOrg.get(orgId) ?? [])].filter(({ expiresAtMs }) => expiresAtMs > now)
    const rate = { ...allowanceOf(live.map(({ perSecond }) => perSecond)), keys: live.length }
    this.#sums.set(orgId, { ...rate, at: now })
    return rate
  }

  #replace(subject: string, known: Key | undefined, key: Key): void {
    if (known) this.#byOrg.get(known.orgId)?.delete(known)
    this.#keys.set(subject, key)
    const ofOrg = this.#byOrg.get(key.orgId) ?? new Set()
    this.#byOrg.set(key.orgId, ofOrg)
    if (key.isLive) ofOrg.add(key)
    this.#sums.delete(key.orgId)
  }
}

const keyOf = (state: KeyRate): Key => ({
  orgId: state.org_id,
  revision: state.revision,
  perSecond: state.message_rate_per_second ?? null,
  expiresAtMs: state.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(state.expires_at),
  isLive: state.revoked_at === null && state.scopes.includes(SCOPE),
})

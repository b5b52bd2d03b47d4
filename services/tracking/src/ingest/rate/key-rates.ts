import { KeyRate } from '@whereabouts/contracts/messages/keys-state'
import { bytesPerSecond, MESSAGES_PER_SECOND } from '@whereabouts/contracts/messages/reader-rates'
import type { OrgRate } from '../../readers/org-rate.ts'

const UNKNOWN: OrgRate = { perSecond: MESSAGES_PER_SECOND, bytesPerSecond: bytesPerSecond(0), keys: 0 }
/** A sum is kept this long, because no message says that a key has expired. */
const SUM_MS = 1_000
const SUBJECT = 'keys.key.'
const SCOPE = 'scans:write'

type Key = {
  orgId: number
  revision: number
  /** Set by an operator; null for the default. */
  perSecond: number | null
  expiresAtMs: number
  isLive: boolean
}

/**
 * Messages a second that each organization may send: the sum over its live keys with `scans:write`, from the KEYS
 * stream. A message does not say which key sent it (ADR 43). An organization without a known key may send as much as
 * one key may.
 */
export class KeyRates {
  readonly #keys = new Map<string, Key>()
  readonly #byOrg = new Map<number, Set<Key>>()
  readonly #sums = new Map<number, OrgRate & { at: number }>()

  /** Throws for an unreadable state, which changes nothing. States may arrive twice and out of order. */
  apply(subject: string, payload: unknown): void {
    if (!subject.startsWith(SUBJECT)) return
    const state = KeyRate.parse(payload)
    const known = this.#keys.get(state.jti)
    if (known && known.revision > state.revision) return
    if (known) this.#byOrg.get(known.orgId)?.delete(known)
    const key = keyOf(state)
    this.#keys.set(state.jti, key)
    const ofOrg = this.#byOrg.get(key.orgId) ?? new Set()
    this.#byOrg.set(key.orgId, ofOrg)
    if (key.isLive) ofOrg.add(key)
    this.#sums.delete(key.orgId)
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
    const ofOrg = this.#byOrg.get(orgId)
    if (!ofOrg) return UNKNOWN
    const live = [...ofOrg].filter(({ expiresAtMs }) => expiresAtMs > now)
    const rate = live.length === 0 ? UNKNOWN : sumOf(live)
    this.#sums.set(orgId, { ...rate, at: now })
    return rate
  }
}

function sumOf(live: readonly Key[]): OrgRate {
  const perSecond = live.reduce((sum, key) => sum + (key.perSecond ?? MESSAGES_PER_SECOND), 0)
  const setByOperators = live.reduce((sum, key) => sum + (key.perSecond ?? 0), 0)
  return { perSecond, bytesPerSecond: bytesPerSecond(setByOperators), keys: live.length }
}

const keyOf = (state: KeyRate): Key => ({
  orgId: state.org_id,
  revision: state.revision,
  perSecond: state.message_rate_per_second ?? null,
  expiresAtMs: state.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(state.expires_at),
  isLive: state.revoked_at === null && state.scopes.includes(SCOPE),
})

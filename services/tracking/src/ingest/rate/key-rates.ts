import { KeyRate } from '@whereabouts/contracts/messages/keys-state'
import { allowanceOf } from '@whereabouts/contracts/messages/reader-rates'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { StateView } from '@whereabouts/messaging/state-view'
import type { OrgRate } from '../../readers/org-rate.ts'

/** A sum is kept this long, because no message says that a key has expired. */
const SUM_MS = 1_000
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
 * What each organization may send, from its live keys with `scans:write` in the KEYS stream. A message does not say which
 * key sent it (ADR 43). An organization without a known key may send as much as one key may. A key whose newest state
 * cannot be read counts as one without a rate of its own.
 */
export class KeyRates {
  readonly states = new StateView<{ key: Key }>({
    stream: 'KEYS',
    kinds: {
      key: {
        read: readKey,
        onChange: (jti, key, before) => this.#keep(jti, key ?? (before && { ...before, perSecond: null })),
      },
    },
    owner: republishKeysState.subject,
    onReset: () => {
      this.#byOrg.clear()
      this.#sums.clear()
    },
  })
  readonly #byOrg = new Map<number, Map<string, Key>>()
  readonly #sums = new Map<number, OrgRate & { at: number }>()

  rateOf(orgId: number, now = Date.now()): OrgRate {
    const known = this.#sums.get(orgId)
    if (known && now - known.at < SUM_MS) return known
    const keys = [...(this.#byOrg.get(orgId)?.values() ?? [])]
    const live = keys.filter(({ expiresAtMs }) => expiresAtMs > now)
    const rate = { ...allowanceOf(live.map(({ perSecond }) => perSecond)), keys: live.length }
    this.#sums.set(orgId, { ...rate, at: now })
    return rate
  }

  #keep(jti: string, key: Key | undefined): void {
    if (!key) return
    const ofOrg = this.#byOrg.get(key.orgId) ?? new Map<string, Key>()
    this.#byOrg.set(key.orgId, ofOrg)
    if (key.isLive) ofOrg.set(jti, key)
    else ofOrg.delete(jti)
    this.#sums.delete(key.orgId)
  }
}

function readKey(payload: unknown): Key {
  const state = KeyRate.parse(payload)
  return {
    orgId: state.org_id,
    revision: state.revision,
    perSecond: state.message_rate_per_second ?? null,
    expiresAtMs: state.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(state.expires_at),
    isLive: state.revoked_at === null && state.scopes.includes(SCOPE),
  }
}

import { KeyRate } from '@whereabouts/contracts/messages/keys-state'
import { allowanceOf } from '@whereabouts/contracts/messages/reader-rates'
import { StateView } from '@whereabouts/messaging/state/state-view'
import type { OrgRate } from '../../readers/health/org-rate.ts'

/** A sum is kept this long, because no message says that a key has expired. */
const SUM_MS = 1_000
const SCOPE = 'scans:write'

/**
 * What each organization may send, from its live keys with `scans:write` in the KEYS stream. A message does not say which
 * key sent it (ADR 43). An organization without a known key may send as much as one key may. A key whose newest state
 * cannot be read counts as one without a rate of its own.
 */
export class KeyRates {
  readonly states = new StateView<{ key: KeyRate }>(
    {
      key: {
        read: (payload) => KeyRate.parse(payload),
        onChange: (jti, key, before) =>
          this.#keep(jti, key ?? (before && { ...before, message_rate_per_second: null })),
      },
    },
    () => {
      this.#byOrg.clear()
      this.#sums.clear()
    },
  )
  readonly #byOrg = new Map<number, Map<string, KeyRate>>()
  readonly #sums = new Map<number, OrgRate & { at: number }>()

  rateOf(orgId: number, now = Date.now()): OrgRate {
    const known = this.#sums.get(orgId)
    if (known && now - known.at < SUM_MS) return known
    const keys = [...(this.#byOrg.get(orgId)?.values() ?? [])]
    const live = keys.filter(({ expires_at: at }) => at === null || Date.parse(at) > now)
    const rates = live.map((key) => key.message_rate_per_second ?? null)
    const rate = { ...allowanceOf(rates), keys: live.length }
    this.#sums.set(orgId, { ...rate, at: now })
    return rate
  }

  #keep(jti: string, key: KeyRate | undefined): void {
    if (!key) return
    const ofOrg = this.#byOrg.get(key.org_id) ?? new Map<string, KeyRate>()
    this.#byOrg.set(key.org_id, ofOrg)
    if (key.revoked_at === null && key.scopes.includes(SCOPE)) ofOrg.set(jti, key)
    else ofOrg.delete(jti)
    this.#sums.delete(key.org_id)
  }
}

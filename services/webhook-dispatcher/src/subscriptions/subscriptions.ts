import { OrgSubscription, type OrgState } from '@whereabouts/contracts/messages/keys-state'
import type { Logger } from '@whereabouts/messaging/logger'

type Known = { revision: number; endsAtMs: number | undefined }

/** The state of an organization in the database of keys; undefined if there is no such organization. */
export type AskOrg = (orgId: number) => Promise<OrgState | undefined>

/** `unknown`: not known yet, so `learn` asks. It never counts as active. */
export type SubscriptionStatus = 'active' | 'lapsed' | 'unknown'

/** When the subscription of each organization ends, from `keys`, in memory. */
export class Subscriptions {
  readonly #known = new Map<number, Known>()
  /** Organizations whose newest state cannot be read, with the number of the doubt. */
  readonly #doubts = new Map<number, symbol>()
  readonly #asking = new Map<number, Promise<boolean>>()
  readonly #ask: AskOrg
  readonly #log: Logger

  constructor(ask: AskOrg, log: Logger) {
    this.#ask = ask
    this.#log = log
  }

  /** Takes a state of the stream KEYS. An older revision than the one known is ignored. Throws for a malformed one. */
  apply(payload: unknown): void {
    const state = OrgSubscription.parse(payload)
    this.#keep(state)
    this.#doubts.delete(state.org_id)
  }

  /** The newest state of this organization cannot be read. The known state stays, and does not count until then. */
  doubt(orgId: number): void {
    this.#doubts.set(orgId, Symbol(orgId))
  }

  /** The stream was recreated; its states follow. */
  clear(): void {
    this.#known.clear()
    this.#doubts.clear()
  }

  /** Whether deliveries go on at `nowMs`. */
  status(orgId: number, nowMs: number): SubscriptionStatus {
    const known = this.#known.get(orgId)
    if (!known || this.#doubts.has(orgId)) return 'unknown'
    return known.endsAtMs === undefined || nowMs < known.endsAtMs ? 'active' : 'lapsed'
  }

  /** Asks keys for the state of an organization, once for concurrent callers. False if that failed; never rejects. */
  async learn(orgId: number): Promise<boolean> {
    const begun = this.#asking.get(orgId)
    if (begun) return begun
    const asked = this.#learn(orgId).finally(() => this.#asking.delete(orgId))
    this.#asking.set(orgId, asked)
    return asked
  }

  async #learn(orgId: number): Promise<boolean> {
    const doubt = this.#doubts.get(orgId)
    try {
      const state = await this.#ask(orgId)
      if (state) this.#keep(state)
      else this.#known.set(orgId, { revision: -1, endsAtMs: Number.NEGATIVE_INFINITY }) // no such organization: nothing is delivered
      // A doubt that arose meanwhile may concern a newer state than the response.
      if (this.#doubts.get(orgId) === doubt) this.#doubts.delete(orgId)
      return true
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'subscription lookup at keys failed')
      return false
    }
  }

  #keep({ org_id, revision, subscription_ends_at }: OrgSubscription): void {
    const endsAtMs = subscription_ends_at === null ? undefined : Date.parse(subscription_ends_at)
    if (Number.isNaN(endsAtMs)) throw new Error('subscription_ends_at is no timestamp')
    const known = this.#known.get(org_id)
    if (!known || known.revision < revision) this.#known.set(org_id, { revision, endsAtMs })
  }
}

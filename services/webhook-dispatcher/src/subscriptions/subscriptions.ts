import { OrgSubscription, type OrgState } from '@whereabouts/contracts/messages/keys-state'
import type { Logger } from '@whereabouts/messaging/logger'

type Known = { revision: number; endsAtMs: number | undefined }

/** What the state of an organization is in the database of keys; undefined where there is no such organization. */
export type AskOrg = (orgId: number) => Promise<OrgState | undefined>

/** `unknown`: nobody has said yet; then `learn` asks. Never taken for a subscription that lasts. */
export type Standing = 'active' | 'lapsed' | 'unknown'

/** What `keys` tells about organizations, in memory: until when each one's deliveries go on. */
export class Subscriptions {
  readonly #known = new Map<number, Known>()
  /** Organizations whose newest state cannot be read, and which doubt it is. */
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

  /** The newest state of this organization cannot be read. What was known of it stays and decides nothing until then. */
  doubt(orgId: number): void {
    this.#doubts.set(orgId, Symbol(orgId))
  }

  /** The stream was made anew; what it says now follows. */
  clear(): void {
    this.#known.clear()
    this.#doubts.clear()
  }

  /** Whether deliveries go on at `nowMs`. */
  standing(orgId: number, nowMs: number): Standing {
    const known = this.#known.get(orgId)
    if (!known || this.#doubts.has(orgId)) return 'unknown'
    return known.endsAtMs === undefined || nowMs < known.endsAtMs ? 'active' : 'lapsed'
  }

  /** Asks keys how an organization stands, once for all who want to know. False when that did not work; never rejects. */
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
      else this.#known.set(orgId, { revision: -1, endsAtMs: Number.NEGATIVE_INFINITY }) // nobody's: nothing is delivered
      // A doubt that came up meanwhile may be about something newer than the answer.
      if (this.#doubts.get(orgId) === doubt) this.#doubts.delete(orgId)
      return true
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'keys could not be asked about a subscription')
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

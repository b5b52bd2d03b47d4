import { OrgSubscription, type OrgState } from '@whereabouts/contracts/messages/keys-state'
import type { Logger } from '@whereabouts/messaging/logger'

type Known = { revision: number; endsAtMs: number | undefined }

const NO_ORGANIZATION: Known = { revision: -1, endsAtMs: Number.NEGATIVE_INFINITY }

/** Asks keys for the state of an organization. Undefined: there is no such organization. */
export type AskOrg = (orgId: number) => Promise<OrgState | undefined>

/** `unknown`: `learn` asks keys. It never counts as active (ADR 46). */
export type SubscriptionStatus = 'active' | 'lapsed' | 'unknown'

/** Knows when the subscription of each organization ends, from KEYS, in memory. */
export class Subscriptions {
  readonly #known = new Map<number, Known>()
  /** Organizations whose newest state cannot be read. Each such state has a symbol of its own. */
  readonly #unreadable = new Map<number, symbol>()
  readonly #requests = new Map<number, Promise<boolean>>()
  readonly #ask: AskOrg
  readonly #log: Logger

  constructor(ask: AskOrg, log: Logger) {
    this.#ask = ask
    this.#log = log
  }

  /**
   * Takes a state of the stream KEYS. Ignores a revision that is older than the known one. Throws for a malformed
   * state.
   */
  apply(payload: unknown): void {
    const state = OrgSubscription.parse(payload)
    this.#keep(state)
    this.#unreadable.delete(state.org_id)
  }

  /** The newest state of this organization cannot be read. Its status is `unknown` until the next state. */
  markUnreadable(orgId: number): void {
    this.#unreadable.set(orgId, Symbol(orgId))
  }

  /** The stream was recreated. Its states follow. */
  clear(): void {
    this.#known.clear()
    this.#unreadable.clear()
  }

  /** Milliseconds since 1970. */
  status(orgId: number, nowMs: number): SubscriptionStatus {
    const known = this.#known.get(orgId)
    if (!known || this.#unreadable.has(orgId)) return 'unknown'
    return known.endsAtMs === undefined || nowMs < known.endsAtMs ? 'active' : 'lapsed'
  }

  /**
   * Asks keys for the state of an organization, once for concurrent callers. False: keys did not reply. Never
   * rejects.
   */
  async learn(orgId: number): Promise<boolean> {
    const running = this.#requests.get(orgId)
    if (running) return running
    const request = this.#learn(orgId).finally(() => this.#requests.delete(orgId))
    this.#requests.set(orgId, request)
    return request
  }

  async #learn(orgId: number): Promise<boolean> {
    const unreadable = this.#unreadable.get(orgId)
    try {
      const state = await this.#ask(orgId)
      if (state) this.#keep(state)
      else this.#known.set(orgId, NO_ORGANIZATION)
      // An unreadable state that came in the meantime may be newer than the reply.
      if (this.#unreadable.get(orgId) === unreadable) this.#unreadable.delete(orgId)
      return true
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'subscription lookup at keys failed')
      return false
    }
  }

  #keep({ org_id, revision, subscription_ends_at }: OrgSubscription): void {
    const endsAtMs = subscription_ends_at === null ? undefined : Date.parse(subscription_ends_at)
    if (Number.isNaN(endsAtMs)) throw new Error('subscription_ends_at is not a timestamp')
    const known = this.#known.get(org_id)
    if (!known || known.revision < revision) this.#known.set(org_id, { revision, endsAtMs })
  }
}

import { OrgState } from '@whereabouts/contracts/messages/keys-state'

type Known = { revision: number; endsAtMs: number | undefined }

/** What `keys` tells about organizations, in memory: until when each one's deliveries go on. */
export class Subscriptions {
  readonly #known = new Map<number, Known>()

  /** Takes a state of the stream KEYS. An older revision than the one known is ignored. Throws for a malformed one. */
  apply(payload: unknown): void {
    const { org_id, revision, subscription_ends_at } = OrgState.parse(payload)
    const known = this.#known.get(org_id)
    if (known && known.revision >= revision) return
    const endsAtMs = subscription_ends_at === null ? undefined : Date.parse(subscription_ends_at)
    if (Number.isNaN(endsAtMs)) throw new Error('subscription_ends_at is no timestamp')
    this.#known.set(org_id, { revision, endsAtMs })
  }

  /** The stream was made anew; what it says now follows. */
  clear(): void {
    this.#known.clear()
  }

  /**
   * Whether deliveries go on at `nowMs`. An organization not heard of counts as subscribed: it has just been created
   * and its state is on the way, or KEYS was lost, which must not silence everybody.
   */
  isActive(orgId: number, nowMs: number): boolean {
    const endsAtMs = this.#known.get(orgId)?.endsAtMs
    return endsAtMs === undefined || nowMs < endsAtMs
  }
}

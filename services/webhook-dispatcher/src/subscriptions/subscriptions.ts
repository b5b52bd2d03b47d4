import { OrgSubscription } from '@whereabouts/contracts/messages/keys-state'
import { StateView } from '@whereabouts/messaging/state/state-view'

type Subscription = { revision: number; endsAtMs: number }

/** `unknown`: keys is asked. It never counts as active (ADR 46). */
export type SubscriptionStatus = 'active' | 'lapsed' | 'unknown'

export type Subscriptions = StateView<{ org: Subscription }>

/** When the subscription of each organization ends, from KEYS. */
export const createSubscriptions = (): Subscriptions => new StateView({ org: { read: readState } })

function readState(payload: unknown): Subscription {
  const { revision, subscription_ends_at: endsAt } = OrgSubscription.parse(payload)
  const endsAtMs = endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(endsAt)
  if (Number.isNaN(endsAtMs)) throw new Error('subscription_ends_at is not a timestamp')
  return { revision, endsAtMs }
}

/** Undefined: unknown. Null: there is no such organization. */
export function statusOf(subscription: Subscription | null | undefined, nowMs: number): SubscriptionStatus {
  if (subscription === undefined) return 'unknown'
  return subscription && nowMs < subscription.endsAtMs ? 'active' : 'lapsed'
}

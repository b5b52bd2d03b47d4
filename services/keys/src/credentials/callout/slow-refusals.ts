import { LocalBuckets } from '@whereabouts/db/buckets/local-buckets'
import type { Grant, Login, Refusal } from '@whereabouts/messaging/readers/callout'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'

/** Refusals of an address that are sent at once. */
const REFUSALS_AT_ONCE = { capacity: 20, secondsPerToken: 3 }
/** Shorter than the time for which clients wait for a login: 2 s at least. */
export const REFUSAL_PAUSE_MS = 1_500
const MAX_ADDRESSES = 20_000

type Decide = (login: Login) => Promise<Grant | Refusal | undefined>

/**
 * Refusals of an address that was refused often wait for a moment, so each of its connections tries rarely. A grant never
 * waits: behind the address there may be readers with the right secret, and most clients end for ever if they are refused.
 */
export function slowRefusals(decide: Decide, now: () => number): Decide {
  const buckets = new LocalBuckets(MAX_ADDRESSES)
  return async (login) => {
    const verdict = await decide(login)
    if (verdict && !('refused' in verdict)) return verdict
    const { taken } = buckets.take(addressBlock(login.host), REFUSALS_AT_ONCE, now())
    return taken ? verdict : { refused: verdict?.refused, afterMs: REFUSAL_PAUSE_MS }
  }
}

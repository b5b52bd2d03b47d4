import { LocalBuckets } from '@whereabouts/db/buckets/local-buckets'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { Attempts } from '../../attempts/attempts.ts'
import { tooManyAttempts } from '../../errors.ts'

export type Throttle = {
  /** Takes a token for one attempt. Undefined if allowed, otherwise the seconds until the next token. */
  take(client: string): number | undefined
}

type Options = {
  now: () => number
  /** Failed attempts in a row. */
  capacity?: number
  /** Time until one more is allowed. */
  refillMs?: number
  /**
   * Clients to remember. One address cannot evict its own bucket: its attempts under other names cost it tokens too.
   */
  maxClients?: number
}

/**
 * Token buckets of failed attempts, in this process, so that no attempt costs a database write. With n replicas a
 * guesser has n times the attempts, which is still far too few.
 */
export function createThrottle({
  now,
  capacity = 10,
  refillMs = 6_000,
  maxClients = 20_000,
}: Options): Throttle {
  const buckets = new LocalBuckets(maxClients)
  const rate = { capacity, secondsPerToken: refillMs / 1_000 }
  return {
    take(client) {
      const { taken } = buckets.take(client, rate, now())
      return taken ? undefined : buckets.secondsToWait(client, rate, now())
    },
  }
}

/**
 * For attempts that are checked first and cost a token only when they fail. Throws `refusal`, or 429 for a client or an
 * address that failed too often.
 */
export async function refuse(
  { throttle, attempts }: { throttle: Throttle; attempts: Pick<Attempts, 'failed'> },
  clientAddress: string,
  client: string,
  refusal: () => Error,
): Promise<never> {
  const waitSeconds = throttle.take(`${addressBlock(clientAddress)}|${client}`)
  if (waitSeconds !== undefined) throw tooManyAttempts(waitSeconds)
  await attempts.failed(clientAddress)
  throw refusal()
}

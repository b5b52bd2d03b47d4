import type { Rate } from '@whereabouts/db/token-bucket'
import { secondsUntilToken } from '@whereabouts/db/token-bucket'
import type { SharedBuckets } from '@whereabouts/db/shared-buckets'
import { addressBlock } from '@whereabouts/service-kit/address-block'
import { createHash } from 'node:crypto'
import { tooManyAttempts } from '../errors.ts'
import { emailKey } from '../emails.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { WaitingRoom } from './waiting-room.ts'

export type Attempts = {
  /** Takes a token of the address's bucket, before anything else is done for it. Throws 429 when it has none. */
  admit(clientAddress: string): Promise<void>
  /** For what costs only when it fails: throws 429 when the address has failed too often. */
  failed(clientAddress: string): Promise<void>
  /**
   * Call before a password is checked. Resolves at once for an account that was left alone of late, and up to four
   * seconds later for one that many have tried. Throws 429 only when too many attempts wait.
   */
  onAccount(email: string, clientAddress: string): Promise<{ succeeded(): Promise<void> }>
}

type Options = {
  buckets: SharedBuckets
  /** Of each client address. */
  addressRate: Rate
  room: WaitingRoom
  refusals: RefusalLog
}

/** Of each account, over all addresses: attempts without a delay. */
export const ACCOUNT_RATE: Rate = { capacity: 10, secondsPerToken: 6 }
/** Past it an attempt on an account is delayed by what is missing of a token, at most so much. */
const MAX_DELAY_MS = 4_000

/** What stands before passwords, sign-ups and tokens (ADR 39). Buckets are shared by all replicas. */
export function createAttempts({ buckets, addressRate, room, refusals }: Options): Attempts {
  async function take(clientAddress: string): Promise<void> {
    const address = addressBlock(clientAddress)
    const { taken, secondsUntilFull } = await buckets.take(`address:${address}`, addressRate)
    if (taken) return
    refusals.count(address)
    throw tooManyAttempts(Math.max(1, Math.ceil(secondsUntilToken(addressRate, secondsUntilFull))))
  }

  return {
    admit: take,
    failed: take,

    async onAccount(email, clientAddress) {
      const bucket = accountBucket(email)
      const { taken, secondsUntilFull } = await buckets.take(bucket, ACCOUNT_RATE)
      if (!taken) {
        const delayMs = Math.min(MAX_DELAY_MS, secondsUntilToken(ACCOUNT_RATE, secondsUntilFull) * 1_000)
        if (!(await room.wait(bucket, delayMs))) {
          refusals.count(addressBlock(clientAddress))
          throw tooManyAttempts(MAX_DELAY_MS / 1_000)
        }
      }
      return {
        // A token for the next one, whoever it is: the owner does not use up what guesses are measured by.
        succeeded: async () => (taken ? buckets.giveBack(bucket, ACCOUNT_RATE) : undefined),
      }
    },
  }
}

/** A digest: the table keeps no address of a person, and no key of it is long. */
export const accountBucket = (email: string): string =>
  `account:${createHash('sha256').update(emailKey(email)).digest('base64url').slice(0, 22)}`

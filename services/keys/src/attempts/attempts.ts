import type { Rate } from '@whereabouts/db/buckets/token-bucket'
import { secondsUntilToken } from '@whereabouts/db/buckets/token-bucket'
import type { SharedBuckets } from '@whereabouts/db/buckets/shared-buckets'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { createHash } from 'node:crypto'
import { tooManyAttempts } from '../errors.ts'
import { emailKey } from '../emails.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** An API key or a user's session. */
export type ChainOwner = { orgId: number } & ({ keyId: number } | { userId: number })

export type Attempts = {
  /** Takes a token of the address's bucket. Call before any other work. Throws 429 if the bucket is empty. */
  admit(clientAddress: string): Promise<void>
  /** For attempts that cost a token only when they fail. Throws 429 if the address has failed too often. */
  failed(clientAddress: string): Promise<void>
  /**
   * For tokens that are issued to a key or a user. Call when its credential is known to be right, so that nobody else can
   * use up its bucket. Throws 429 if it is empty.
   */
  issue(owner: ChainOwner): Promise<void>
  /**
   * Call before a password is checked. Resolves at once for an account with few recent attempts, otherwise after up to
   * four seconds. Throws 429 if another attempt of the address waits for the account, or too many do. `knownDevice`, a
   * token that was proved, has a bucket of its own before that of the account.
   */
  onAccount(
    email: string,
    clientAddress: string,
    knownDevice?: string,
  ): Promise<{ succeeded(): Promise<void> }>
  /**
   * Call before the one-time code of a user is checked, whose password is right. Throws 429 after too many wrong ones:
   * unlike a password, a code can be guessed, and unlike `onAccount`, nobody without the password can use this up.
   */
  onCode(userId: number): Promise<{ succeeded(): Promise<void> }>
  /** Takes one of the mails of a template that an address gets at a time. False if it got enough of them. */
  mayMail(template: string, email: string): Promise<boolean>
}

type Options = {
  buckets: SharedBuckets
  /** Of each client address. */
  addressRate: Rate
  room: WaitingRoom
  /** Called for each refused attempt of an address block. */
  onRefusal: (address: string) => void
}

/** Attempts without a delay for each account, over all addresses. */
export const ACCOUNT_RATE: Rate = { capacity: 10, secondsPerToken: 6 }
/** Tokens that are issued to one key, to one user, whose pages each get one when they are loaded, and to all of them. */
export const ISSUE_RATES = {
  key: { capacity: 20, secondsPerToken: 1 },
  user: { capacity: 60, secondsPerToken: 1 },
  organization: { capacity: 1_000, secondsPerToken: 0.05 },
} as const satisfies Record<string, Rate>
/** Wrong codes of one user: ten at once, then 288 a day. Three of a million are right, so a guesser needs years. */
export const CODE_RATE: Rate = { capacity: 10, secondsPerToken: 300 }
/** Mails of one template to one address: three at once, then three an hour. */
const MAIL_RATE: Rate = { capacity: 3, secondsPerToken: 1_200 }
/** The longest delay of an attempt on an account whose bucket is empty. */
const MAX_DELAY_MS = 4_000

/** Limits attempts on passwords, sign-ups and tokens (ADR 39). All replicas share the buckets. */
export function createAttempts({ buckets, addressRate, room, onRefusal }: Options): Attempts {
  async function takeFrom(bucket: string, rate: Rate, refused?: () => void): Promise<void> {
    const { taken, secondsUntilFull } = await buckets.take(bucket, rate)
    if (taken) return
    refused?.()
    throw tooManyAttempts(Math.max(1, Math.ceil(secondsUntilToken(rate, secondsUntilFull))))
  }

  async function take(clientAddress: string): Promise<void> {
    const address = addressBlock(clientAddress)
    await takeFrom(`address:${address}`, addressRate, () => onRefusal(address))
  }

  return {
    admit: take,
    failed: take,

    async onCode(userId) {
      const bucket = `code:${userId}`
      await takeFrom(bucket, CODE_RATE)
      return { succeeded: () => buckets.giveBack(bucket, CODE_RATE) }
    },

    async mayMail(template, email) {
      const { taken } = await buckets.take(`mail:${template}:${digestOf(emailKey(email))}`, MAIL_RATE)
      return taken
    },

    async issue(owner) {
      if ('keyId' in owner) await takeFrom(`issue:key:${owner.keyId}`, ISSUE_RATES.key)
      else await takeFrom(`issue:user:${owner.userId}`, ISSUE_RATES.user)
      await takeFrom(`issue:organization:${owner.orgId}`, ISSUE_RATES.organization)
    },

    async onAccount(email, clientAddress, knownDevice) {
      if (knownDevice !== undefined) {
        const bucket = `device:${digestOf(knownDevice)}`
        const { taken } = await buckets.take(bucket, ACCOUNT_RATE)
        if (taken) return { succeeded: () => buckets.giveBack(bucket, ACCOUNT_RATE) }
      }
      const bucket = accountBucket(email)
      const { taken, secondsUntilFull } = await buckets.take(bucket, ACCOUNT_RATE)
      if (!taken) {
        const delayMs = Math.min(MAX_DELAY_MS, secondsUntilToken(ACCOUNT_RATE, secondsUntilFull) * 1_000)
        if (!(await room.wait(bucket, clientAddress, delayMs))) {
          onRefusal(addressBlock(clientAddress))
          throw tooManyAttempts(MAX_DELAY_MS / 1_000)
        }
      }
      return {
        // Returned, so that sign-ins of the owner do not delay the next attempt.
        succeeded: async () => (taken ? buckets.giveBack(bucket, ACCOUNT_RATE) : undefined),
      }
    },
  }
}

export const accountBucket = (email: string): string => `account:${digestOf(emailKey(email))}`

/** So that the table holds no e-mail addresses, no tokens and no long keys. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

import { bytesPerSecond, MESSAGES_PER_SECOND } from '@whereabouts/contracts/messages/reader-rates'
import type { Db } from '../db.ts'
import type { Allowance } from './flood-buckets.ts'
import { findOrgsOfKeys, sumMessageRates } from './senders.queries.ts'

/** How long values from the database are used. */
const FRESH_MS = 10_000

export type Sender = { orgId: number; allowance: Allowance }

type Read<T> = { value: T; atMs: number }

/**
 * The organization of a broker user, and what that organization may send. Messages: the sum over its live keys with
 * `scans:write`. Bytes: the default of one key, or what operators allowed, because an organization can create any
 * number of keys. Not an LRU cache: an eviction would let a sender pass unchecked.
 */
export class Senders {
  readonly #db: Db
  readonly #orgs = new Map<string, Read<number | undefined>>()
  readonly #allowances = new Map<number, Read<Allowance>>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Without users that are not keys. `nowMs` is of a monotonic clock. */
  async find(users: readonly string[], nowMs: number): Promise<Map<string, Sender>> {
    forgetOld(this.#orgs, nowMs)
    forgetOld(this.#allowances, nowMs)
    const unknown = users.filter((user) => !this.#orgs.has(user))
    if (unknown.length > 0) {
      const orgs = await findOrgsOfKeys(this.#db, unknown)
      for (const user of unknown) this.#orgs.set(user, { value: orgs.get(user), atMs: nowMs })
    }
    const orgIds = new Set(users.map((user) => this.#orgs.get(user)?.value).filter((id) => id !== undefined))
    const unread = [...orgIds].filter((id) => !this.#allowances.has(id))
    if (unread.length > 0) {
      const rates = await sumMessageRates(this.#db, unread, MESSAGES_PER_SECOND)
      for (const id of unread) this.#allowances.set(id, { value: allowanceOf(rates.get(id)), atMs: nowMs })
    }
    return new Map(users.flatMap((user) => this.#entryOf(user)))
  }

  #entryOf(user: string): [string, Sender][] {
    const orgId = this.#orgs.get(user)?.value
    const allowance = orgId === undefined ? undefined : this.#allowances.get(orgId)?.value
    return orgId === undefined || allowance === undefined ? [] : [[user, { orgId, allowance }]]
  }
}

/** Without a live key, the allowance of one key, like ingest. */
function allowanceOf(rates: { all: number; explicit: number } = { all: 0, explicit: 0 }): Allowance {
  return {
    messagesPerSecond: rates.all || MESSAGES_PER_SECOND,
    bytesPerSecond: bytesPerSecond(rates.explicit),
  }
}

function forgetOld(reads: Map<unknown, Read<unknown>>, nowMs: number): void {
  for (const [key, { atMs }] of reads) if (nowMs - atMs > FRESH_MS) reads.delete(key)
}

import type { Db } from '../db.ts'
import type { Allowance } from './flood-buckets.ts'
import { findOrgsOfKeys, sumMessageRates } from './senders.queries.ts'

/** Messages a second of a key for which no operator set a rate of its own. Ingest has the same number. */
const DEFAULT_PER_SECOND = 200
/** Ingest counts a message once for each 32 KiB of it. */
const BYTES_PER_MESSAGE = 32 * 1024
/** What was read of the database stands for so long. */
const FRESH_MS = 10_000

export type Sender = { orgId: number; allowance: Allowance }

type Read<T> = { value: T; atMs: number }

/**
 * Which organization a broker user belongs to, and what it may send. Messages: the sum over its live keys with
 * `scans:write`. Bytes: what one key may, or what an operator allowed; an organization makes as many keys as it likes, and each more must
 * not allow 6.5 MB a second more.
 */
export class Senders {
  readonly #db: Db
  readonly #orgs = new Map<string, Read<number | undefined>>()
  readonly #allowances = new Map<number, Read<Allowance>>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Of users that are keys; others are left out. `nowMs` is of a clock that never goes back. */
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
      const rates = await sumMessageRates(this.#db, unread, DEFAULT_PER_SECOND)
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

/** Without a live key, what one may send: as ingest does. */
function allowanceOf(rates: { all: number; explicit: number } = { all: 0, explicit: 0 }): Allowance {
  return {
    messagesPerSecond: rates.all || DEFAULT_PER_SECOND,
    bytesPerSecond: Math.max(DEFAULT_PER_SECOND, rates.explicit) * BYTES_PER_MESSAGE,
  }
}

function forgetOld(reads: Map<unknown, Read<unknown>>, nowMs: number): void {
  for (const [key, { atMs }] of reads) if (nowMs - atMs > FRESH_MS) reads.delete(key)
}

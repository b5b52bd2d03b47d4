import { allowanceOf, type Allowance } from '@whereabouts/contracts/messages/reader-rates'
import type { Db } from '../../db.ts'
import { findOrgsOfKeys, findMessageRates } from './senders.queries.ts'

/** How long values from the database are used. */
const FRESH_MS = 10_000

export type Sender = { orgId: number; allowance: Allowance }

type Read<T> = { value: T; atMs: number }

/**
 * The organization of a broker user, and what that organization may send, from its live keys with `scans:write`. Not an LRU
 * cache: an eviction would let a sender pass unchecked.
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
    dropOld(this.#orgs, nowMs)
    dropOld(this.#allowances, nowMs)
    const unknown = users.filter((user) => !this.#orgs.has(user))
    if (unknown.length > 0) {
      const orgs = await findOrgsOfKeys(this.#db, unknown)
      for (const user of unknown) this.#orgs.set(user, { value: orgs.get(user), atMs: nowMs })
    }
    const orgIds = new Set(users.map((user) => this.#orgs.get(user)?.value).filter((id) => id !== undefined))
    const unread = [...orgIds].filter((id) => !this.#allowances.has(id))
    if (unread.length > 0) {
      const rates = await findMessageRates(this.#db, unread)
      for (const id of unread)
        this.#allowances.set(id, { value: allowanceOf(rates.get(id) ?? []), atMs: nowMs })
    }
    return new Map(users.flatMap((user) => this.#entryOf(user)))
  }

  #entryOf(user: string): [string, Sender][] {
    const orgId = this.#orgs.get(user)?.value
    const allowance = orgId === undefined ? undefined : this.#allowances.get(orgId)?.value
    return orgId === undefined || allowance === undefined ? [] : [[user, { orgId, allowance }]]
  }
}

function dropOld(reads: Map<unknown, Read<unknown>>, nowMs: number): void {
  for (const [key, { atMs }] of reads) if (nowMs - atMs > FRESH_MS) reads.delete(key)
}

import type { Kysely } from 'kysely'
import type { Tables, Tx } from './db.ts'

/** Runs `work` in a transaction and, once it is committed, tells the outbox relay. Not to be nested. */
export type Change = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

export const changing =
  (db: Kysely<Tables>, kick: () => void): Change =>
  async (work) => {
    const result = await db.transaction().execute(work)
    kick()
    return result
  }

/** What every handler of this service is made from. */
export type HandlerDeps = { db: Kysely<Tables>; change: Change }

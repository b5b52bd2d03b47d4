import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Tables, Tx } from './db.ts'

/** Runs `work` in a transaction of one organization and, once it is committed, tells the outbox relay. Not to be nested. */
export type Change = <T>(orgId: number, work: (tx: Tx) => Promise<T>) => Promise<T>

export const changing =
  (db: TenantDatabase<Tables>, kick: () => void): Change =>
  async (orgId, work) => {
    const result = await db.transaction(orgId, work)
    kick()
    return result
  }

/** What every handler of this service is made from. */
export type HandlerDeps = { db: TenantDatabase<Tables>; change: Change }

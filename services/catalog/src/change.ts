import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Tables, Tx } from './db.ts'
import { keyedTurns } from './turns.ts'

/** What changes of one organization wait for each other for, all through their transactions: an advisory lock. */
export type Turn = 'asset keys' | 'location keys' | 'location tree'

/**
 * Runs `work` in a transaction of one organization and, once it is committed, tells the outbox relay. Not to be nested.
 * `turn` names the advisory lock that `work` will take, if it is known to take one.
 */
export type Change = <T>(orgId: number, work: (tx: Tx) => Promise<T>, turn?: Turn) => Promise<T>

/** Some seconds of one organization's creates, and less than the gateway waits for an answer to a write. */
const WAITING = { maxWaiting: 1_000, maxWaitMs: 10_000 }

/**
 * One organization's changes never take all connections of a process: they use half of them, and who would only wait
 * there for an advisory lock waits here instead.
 */
export function changing(db: TenantDatabase<Tables>, wakeOutbox: () => void): Change {
  const ofOrganization = keyedTurns({ atATime: Math.ceil(db.connections / 2), ...WAITING })
  const oneByOne = keyedTurns({ atATime: 1, ...WAITING })
  return async (orgId, work, turn) => {
    const run = () => ofOrganization(String(orgId), () => db.transaction(orgId, work))
    const result = await (turn === undefined ? run() : oneByOne(`${turn} of ${orgId}`, run)).catch(
      tellContention,
    )
    wakeOutbox()
    return result
  }
}

/** A lock that was not granted in time, or a deadlock: nothing was changed, and the same request may succeed. */
function tellContention(error: unknown): never {
  throw isDatabaseOutage(error) ? serviceUnavailable(error) : error
}

/** What every handler of this service is made from. */
export type HandlerDeps = { db: Pick<TenantDatabase<Tables>, 'forOrg'>; change: Change }

/** For handlers that are to work inside an open transaction: all they read and change belongs to it. */
export const within = (tx: Tx): HandlerDeps => ({
  db: { forOrg: () => tx },
  change: async (_orgId, work) => work(tx),
})

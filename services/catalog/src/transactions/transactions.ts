import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Tables, Tx } from '../db.ts'
import { keyedQueue } from './keyed-queue.ts'

/** The advisory locks of an organization. A transaction holds one until its end. */
export type LockName = 'asset keys' | 'location keys' | 'location tree'

/**
 * Runs `work` in a transaction of one organization and wakes the outbox relay after the commit. Do not nest.
 * `lockName` is the advisory lock that `work` takes, if any.
 */
export type RunInTransaction = <T>(
  orgId: number,
  work: (tx: Tx) => Promise<T>,
  lockName?: LockName,
) => Promise<T>

/** A thousand creates take some seconds. The gateway waits longer than ten seconds for a write. */
const WAITING = { maxWaiting: 1_000, maxWaitMs: 10_000 }

/**
 * The transactions of one organization use at most half of the connections. Work that would block on an advisory lock
 * queues in memory instead, without a connection.
 */
export function transactionRunner(db: TenantDatabase<Tables>, wakeOutbox: () => void): RunInTransaction {
  const ofOrganization = keyedQueue({ concurrency: Math.ceil(db.connections / 2), ...WAITING })
  const ofLock = keyedQueue({ concurrency: 1, ...WAITING })
  return async (orgId, work, lockName) => {
    const run = () => ofOrganization(String(orgId), () => db.transaction(orgId, work))
    const result = await (lockName === undefined ? run() : ofLock(`${lockName} of ${orgId}`, run)).catch(
      refuseContention,
    )
    wakeOutbox()
    return result
  }
}

/** After a lock timeout or a deadlock, nothing has changed and a retry may succeed. */
function refuseContention(error: unknown): never {
  throw isDatabaseOutage(error) ? serviceUnavailable(error) : error
}

/** The dependencies of every handler of this service. */
export type HandlerDeps = { db: Pick<TenantDatabase<Tables>, 'forOrg'>; runInTransaction: RunInTransaction }

/** Dependencies for handlers inside an open transaction. */
export const usingTransaction = (tx: Tx): HandlerDeps => ({
  db: { forOrg: () => tx },
  runInTransaction: async (_orgId, work) => work(tx),
})

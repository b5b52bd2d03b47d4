import { once } from '@whereabouts/db/answers/kept-answers'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Context, Reply } from '@whereabouts/service-kit/http/serve'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Tables, Tx } from '../../db.ts'
import { namingOwner } from './naming-owners.ts'

/** The advisory locks of an organization. A transaction holds one until its end. */
export type LockName = 'asset keys' | 'location keys' | 'location tree' | 'floor plans'

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
const ONE_BY_ONE = { running: Infinity, runningPerKey: 1, waitingPerKey: 1_000, maxWaitMs: 10_000 }

/**
 * Work that would block on an advisory lock waits in memory instead, without a connection. All other work waits at the
 * gate of the database.
 */
export function transactionRunner(db: TenantDatabase<Tables>, wakeOutbox: () => void): RunInTransaction {
  const locks = new FairGate<string>(ONE_BY_ONE)
  return async (orgId, work, lockName) => {
    const run = () => db.transaction(orgId, work)
    const done = lockName === undefined ? run() : locks.run(`${lockName} of ${orgId}`, run)
    const result = await done.catch(async (error: unknown) => {
      throw refusal(await namingOwner(db.forOrg(orgId), orgId, error))
    })
    wakeOutbox()
    return result
  }
}

/** After a lock timeout or a deadlock, nothing has changed and a retry may succeed. */
function refusal(error: unknown): unknown {
  return isDatabaseOutage(error) && !(error instanceof AppError) ? serviceUnavailable(error) : error
}

/**
 * For a request that its caller may have named (D12.8): `work` returns the answer, which is kept in its transaction. A repeat
 * gets it again.
 */
export const runOnce = <R extends Reply<unknown>>(
  run: RunInTransaction,
  { principal, once: request }: Pick<Context<'createAsset'>, 'principal' | 'once'>,
  work: (tx: Tx) => Promise<R>,
  lockName?: LockName,
): Promise<R> => run(principal.orgId, (tx) => once(tx, request, () => work(tx)), lockName)

/** The dependencies of every handler of this service. */
export type HandlerDeps = { db: Pick<TenantDatabase<Tables>, 'forOrg'>; runInTransaction: RunInTransaction }

/** Dependencies for handlers inside an open transaction. */
export const usingTransaction = (tx: Tx): HandlerDeps => ({
  db: { forOrg: () => tx },
  runInTransaction: async (_orgId, work) => work(tx),
})

import { buildApp, type AppDeps } from './app.ts'
import { transactionRunner } from './changes/transactions/transactions.ts'

type Parts = Omit<AppDeps, 'runInTransaction'> & {
  /** Called after each commit: the outbox has messages to publish. */
  wakeOutbox: () => void
}

/** The parts of catalog that need no broker, connected. Nothing has been started: no port, no loop. */
export function wire({ wakeOutbox, ...deps }: Parts) {
  const runInTransaction = transactionRunner(deps.db, wakeOutbox)
  return { app: buildApp({ ...deps, runInTransaction }), runInTransaction }
}

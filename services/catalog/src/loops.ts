import { startCountFolds } from '@whereabouts/db/schema/asset-counts'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from './db.ts'
import { batchMetrics, startImportGauges } from './files/imports/imports-metrics.ts'
import { startImportWorker } from './files/imports/imports.loop.ts'
import { startImportPurge } from './files/imports/purge.loop.ts'

type Options = {
  /** As the worker: sees the imports of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  wakeOutbox: () => void
  log: Logger
  registry: Registry
}

/** The timed work of the service. All replicas run it, and share the work. */
export function startLoops({ wakeOutbox, ...shared }: Options) {
  const imports = startImportWorker({ ...shared, wakeOutbox, onBatch: batchMetrics(shared.registry) })
  const purge = startImportPurge(shared)
  const gauges = startImportGauges(shared)
  const fold = startCountFolds(shared.across, shared)
  return {
    wakeImports: () => imports.wake(),
    wakePurge: () => purge.wake(),
    stop: async () => Promise.all([imports.stop(), purge.stop(), gauges.stop(), fold.stop()]),
  }
}

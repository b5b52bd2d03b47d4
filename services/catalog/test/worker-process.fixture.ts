import { openDatabase } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import type { Tables } from '../src/db.ts'
import { startImportWorker } from '../src/bulk/imports/imports.loop.ts'

/** An import worker in its own process, which a test kills: `node worker-process.fixture.ts <database url>`. */
const url = process.argv[2] ?? ''
startImportWorker({
  across: openDatabase<Tables>(urlAs('worker', url), { max: 1, name: 'doomed worker' }).db,
  tenants: openTenantDatabase<Tables>(url, { max: 1, name: 'doomed worker' }),
  wakeOutbox: () => undefined,
  log: createLogger('imports', 'silent'),
  maxQueued: 1_000_000,
  pollMs: 20,
  batchRows: 10,
})

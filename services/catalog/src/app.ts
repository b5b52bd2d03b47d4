import { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import { answerKeeper } from '@whereabouts/db/answers/kept-answers'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve, serveRowsOf } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { assetHandlers, assetReadHandlers } from './assets/assets.handlers.ts'
import { legacyAssetHandlers } from './assets/assets.legacy.ts'
import { batchHandlers } from './bulk/batches/batches.handlers.ts'
import type { Tables } from './db.ts'
import { allRowsHandlers } from './bulk/exports/all-rows.handlers.ts'
import { exportHandlers } from './bulk/exports/exports.handlers.ts'
import { failedRowHandlers } from './bulk/exports/failed-rows.handlers.ts'
import { floorImageHandlers } from './locations/floor-plans/floor-images.handlers.ts'
import { floorPlanHandlers } from './locations/floor-plans/floor-plans.handlers.ts'
import { importHandlers } from './bulk/imports/imports.handlers.ts'
import { locationHandlers } from './locations/locations.handlers.ts'
import { legacyLocationHandlers } from './locations/locations.legacy.ts'
import { tagHandlers } from './tags/tags.handlers.ts'
import { legacyTagHandlers } from './tags/tags.legacy.ts'
import type { Tracking } from './assets/tracking/tracking.ts'
import { transactionRunner } from './changes/transactions/transactions.ts'
import { treeHandlers } from './locations/tree/tree.handlers.ts'
import { legacyTreeHandlers } from './locations/tree/tree.legacy.ts'
import { undeleteHandlers } from './assets/undelete/undelete.handlers.ts'
import { valueLookupHandlers } from './tags/value-lookup/value-lookup.handlers.ts'

type Deps = {
  db: TenantDatabase<Tables>
  verify: PrincipalVerifier
  log: Logger
  registry: Registry
  tracking: Tracking
  /** Called after each commit: the outbox has messages to publish. */
  wakeOutbox: () => void
  /** Wake the loops of imports. Without them, imports wait for the next poll. */
  imports?: { wake: () => void; purge: () => void }
}

/** The API of this service, which the caller makes listen, and the queues of all changes of this process. */
export function wire({ verify, log, registry, tracking, imports, wakeOutbox, db }: Deps) {
  const app: FastifyInstance = createServer({ log, registry })
  const deps = { db, runInTransaction: transactionRunner(db, wakeOutbox) }
  const handlers = {
    ...assetHandlers(deps),
    ...assetReadHandlers({ db, log, tracking }),
    ...batchHandlers(deps),
    ...locationHandlers(deps),
    ...treeHandlers(deps),
    ...tagHandlers(deps),
    ...undeleteHandlers(deps),
    ...valueLookupHandlers(deps),
    ...floorPlanHandlers(deps),
    ...floorImageHandlers(deps),
    ...importHandlers({ ...deps, wakeImports: () => imports?.wake(), wakePurge: () => imports?.purge() }),
    ...exportHandlers({ ...deps, tracking }),
    ...failedRowHandlers(deps),
  }
  const legacy = {
    ...legacyAssetHandlers({ ...deps, tracking }),
    ...legacyLocationHandlers(deps),
    ...legacyTreeHandlers(deps),
    ...legacyTagHandlers(deps),
  }
  serve(app, 'catalog', { verify, handlers: { ...handlers, ...legacy }, answers: answerKeeper(db, log) })
  serveRowsOf(app, 'catalog', exportRowRoutes, { verify, handlers: allRowsHandlers(deps) })
  return { app, runInTransaction: deps.runInTransaction }
}

import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/principal'
import { serve } from '@whereabouts/service-kit/serve'
import { createServer } from '@whereabouts/service-kit/server'
import type { FastifyInstance } from 'fastify'
import { historyHandlers, type HistoryDeps } from './history/history.handlers.ts'
import { legacyHistoryHandlers } from './history/history.legacy.ts'
import { inventoryHandlers } from './inventory/inventory.handlers.ts'
import type { InventoryDeps } from './inventory/save.ts'
import { liveHandlers, type LiveDeps } from './live/live.handlers.ts'
import { readerHandlers, type ReaderDeps } from './readers/readers.handlers.ts'
import type { FindAssetId } from './projections/finders.ts'
import { reportHandlers, type ReportDeps } from './reports/asset-locations.handlers.ts'
import { scanPointHandlers, type ScanPointDeps } from './readers/scan-points.handlers.ts'
import { unknownTagHandlers, type UnknownTagDeps } from './unknown-tags/unknown-tags.handlers.ts'
import { currentLocationsHandlers } from './reports/current-locations.handlers.ts'
import { movementSummaryHandlers } from './reports/movement-summary.handlers.ts'
import { occupancyHandlers } from './reports/occupancy.handlers.ts'

export type AppDeps = HistoryDeps &
  ReportDeps & { findAssetId: FindAssetId } & InventoryDeps &
  LiveDeps &
  ReaderDeps &
  ScanPointDeps &
  UnknownTagDeps & { verify: PrincipalVerifier; log: Logger; registry: Registry }

/** The HTTP side of tracking. Listens on nothing yet. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  app.addHook('preClose', async () => deps.live.close()) // they would never end by themselves
  serve(app, 'tracking', {
    verify: deps.verify,
    handlers: {
      ...historyHandlers(deps),
      ...legacyHistoryHandlers(deps),
      ...reportHandlers(deps),
      ...currentLocationsHandlers(deps),
      ...occupancyHandlers(deps),
      ...movementSummaryHandlers(deps),
      ...liveHandlers(deps),
      ...readerHandlers(deps),
      ...scanPointHandlers(deps),
      ...unknownTagHandlers(deps),
      ...inventoryHandlers(deps),
    },
  })
  return app
}

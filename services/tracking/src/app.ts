import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { floorHandlers } from './where/floor/floor.handlers.ts'
import { historyHandlers, type HistoryDeps } from './where/history/history.handlers.ts'
import { legacyHistoryHandlers } from './where/history/history.legacy.ts'
import { inventoryHandlers } from './inventory/inventory.handlers.ts'
import type { InventoryDeps } from './inventory/save.ts'
import { liveHandlers, type LiveDeps } from './where/live/live.handlers.ts'
import { readerHandlers, type ReaderDeps } from './readers/readers.handlers.ts'
import { liveReadHandlers, type LiveReadDeps } from './setup/live-reads/live-reads.handlers.ts'
import type { FindAssetId } from './catalog/finders.ts'
import { reportHandlers } from './where/reports/asset-locations/asset-locations.handlers.ts'
import { scanPointHandlers, type ScanPointDeps } from './readers/scan-points.handlers.ts'
import {
  placementSettingsHandlers,
  type PlacementSettingsDeps,
} from './setup/placement-settings/placement-settings.handlers.ts'
import {
  placementPreviewHandlers,
  type PlacementPreviewDeps,
} from './setup/placement-preview/placement-preview.handlers.ts'
import {
  readerMessageHandlers,
  type ReaderMessageDeps,
} from './setup/reader-messages/reader-messages.handlers.ts'
import { scanHandlers, type ScanDeps } from './ingest/scans/scans.handlers.ts'
import { testReadHandlers, type TestReadDeps } from './setup/test-reads/test-reads.handlers.ts'
import { unknownTagHandlers, type UnknownTagDeps } from './readers/unknown-tags/unknown-tags.handlers.ts'
import { currentLocationsHandlers } from './where/reports/current-locations/current-locations.handlers.ts'
import { movementSummaryHandlers } from './where/reports/movement-summary/movement-summary.handlers.ts'
import type { ReportDeps } from './where/reports/deps.ts'
import { byLocationHandlers } from './where/movements/by-location.handlers.ts'
import { movementHandlers } from './where/movements/movements.handlers.ts'
import { playbackHandlers } from './where/movements/playback.handlers.ts'
import { unsteadyHandlers } from './where/reports/unsteady/unsteady.handlers.ts'
import { occupancyHandlers } from './where/reports/occupancy/occupancy.handlers.ts'

export type AppDeps = HistoryDeps &
  ReportDeps & { findAssetId: FindAssetId } & InventoryDeps &
  LiveDeps &
  LiveReadDeps &
  ReaderDeps &
  ScanPointDeps &
  PlacementSettingsDeps &
  PlacementPreviewDeps &
  ReaderMessageDeps &
  ScanDeps &
  TestReadDeps &
  UnknownTagDeps & { verify: PrincipalVerifier; log: Logger; registry: Registry }

/** The HTTP server of tracking. It does not listen yet. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  app.addHook('preClose', async () => deps.live.close()) // streams do not end by themselves
  serve(app, 'tracking', {
    verify: deps.verify,
    handlers: {
      ...historyHandlers(deps),
      ...legacyHistoryHandlers(deps),
      ...reportHandlers(deps),
      ...currentLocationsHandlers(deps),
      ...occupancyHandlers(deps),
      ...unsteadyHandlers(deps),
      ...floorHandlers(deps),
      ...movementHandlers(deps),
      ...playbackHandlers(deps),
      ...byLocationHandlers(deps),
      ...movementSummaryHandlers(deps),
      ...liveHandlers(deps),
      ...liveReadHandlers(deps),
      ...readerHandlers(deps),
      ...scanPointHandlers(deps),
      ...placementSettingsHandlers(deps),
      ...placementPreviewHandlers(deps),
      ...readerMessageHandlers(deps),
      ...scanHandlers(deps),
      ...testReadHandlers(deps),
      ...unknownTagHandlers(deps),
      ...inventoryHandlers(deps),
    },
  })
  return app
}

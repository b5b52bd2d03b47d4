import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { floorHandlers } from './floor/floor.handlers.ts'
import { historyHandlers, type HistoryDeps } from './history/history.handlers.ts'
import { legacyHistoryHandlers } from './history/history.legacy.ts'
import { inventoryHandlers } from './inventory/inventory.handlers.ts'
import type { InventoryDeps } from './inventory/save.ts'
import { liveHandlers, type LiveDeps } from './live/live.handlers.ts'
import { readerHandlers, type ReaderDeps } from './readers/readers.handlers.ts'
import { liveReadHandlers, type LiveReadDeps } from './live-reads/live-reads.handlers.ts'
import type { FindAssetId } from './projections/finders.ts'
import { reportHandlers } from './reports/asset-locations/asset-locations.handlers.ts'
import { scanPointHandlers, type ScanPointDeps } from './readers/scan-points.handlers.ts'
import {
  placementSettingsHandlers,
  type PlacementSettingsDeps,
} from './placement-settings/placement-settings.handlers.ts'
import {
  placementPreviewHandlers,
  type PlacementPreviewDeps,
} from './placement-preview/placement-preview.handlers.ts'
import { readerMessageHandlers, type ReaderMessageDeps } from './reader-messages/reader-messages.handlers.ts'
import { scanHandlers, type ScanDeps } from './scans/scans.handlers.ts'
import { testReadHandlers, type TestReadDeps } from './test-reads/test-reads.handlers.ts'
import { unknownTagHandlers, type UnknownTagDeps } from './unknown-tags/unknown-tags.handlers.ts'
import { currentLocationsHandlers } from './reports/current-locations/current-locations.handlers.ts'
import { movementSummaryHandlers } from './reports/movement-summary/movement-summary.handlers.ts'
import type { ReportDeps } from './reports/deps.ts'
import { byLocationHandlers } from './movements/by-location.handlers.ts'
import { movementHandlers } from './movements/movements.handlers.ts'
import { playbackHandlers } from './movements/playback.handlers.ts'
import { unsteadyHandlers } from './reports/unsteady/unsteady.handlers.ts'
import { occupancyHandlers } from './reports/occupancy/occupancy.handlers.ts'

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

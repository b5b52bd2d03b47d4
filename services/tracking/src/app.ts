import { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import { answerKeeper } from '@whereabouts/db/answers/kept-answers'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve, serveRowsOf } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { allHistoryHandlers, type AllHistoryDeps } from './where/exports/all-history.handlers.ts'
import { exportHandlers, type ExportDeps } from './where/exports/exports.handlers.ts'
import { exportFileHandlers, type ExportFileDeps } from './where/exports/files/files.handlers.ts'
import { floorHandlers } from './where/floor/floor.handlers.ts'
import { firstPageReader } from './where/history/first-pages.queries.ts'
import { historyHandlers, type HistoryDeps } from './where/history/history.handlers.ts'
import { legacyHistoryHandlers } from './where/history/history.legacy.ts'
import { inventoryHandlers } from './ingest/inventory/inventory.handlers.ts'
import type { InventoryDeps } from './ingest/inventory/save.ts'
import { liveHandlers, type LiveDeps } from './where/live/live.handlers.ts'
import { readerHandlers, type ReaderDeps } from './readers/readers.handlers.ts'
import { liveReadHandlers, type LiveReadDeps } from './setup/live-reads/live-reads.handlers.ts'
import { type FindAssetId, assetFinder, assetKeyFinder, locationFinder } from './catalog/finders.ts'
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
import { messageChecker, messagesOfKeyHandlers } from './setup/reader-messages/messages-of-key.ts'
import { scanHandlers, type ScanDeps } from './ingest/scans/scans.handlers.ts'
import { testReadHandlers, type TestReadDeps } from './setup/test-reads/test-reads.handlers.ts'
import { unknownTagHandlers, type UnknownTagDeps } from './readers/unknown-tags/unknown-tags.handlers.ts'
import { currentLocationsHandlers } from './where/reports/current-locations/current-locations.handlers.ts'
import { movementSummaryHandlers } from './where/reports/movement-summary/movement-summary.handlers.ts'
import type { ReportDeps } from './where/reports/deps.ts'
import { byLocationHandlers } from './where/movements/by-location.handlers.ts'
import { movementHandlers } from './where/movements/movements.handlers.ts'
import { playbackHandlers } from './where/movements/playback.handlers.ts'
import { visitReportHandlers } from './where/visits/report.handlers.ts'
import { visitHandlers } from './where/visits/visits.handlers.ts'
import { unsteadyHandlers } from './where/reports/unsteady/unsteady.handlers.ts'
import { occupancyHandlers } from './where/reports/occupancy/occupancy.handlers.ts'
import type { Database } from '@whereabouts/db/connect/database'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from './db.ts'
import type { IngestDeps } from './ingest/ingest.consumer.ts'
import { ingestMetrics } from './ingest/ingest-metrics.ts'
import { Admission } from './ingest/rate/admission.ts'
import { KeyRates } from './ingest/rate/key-rates.ts'
import { HEARD_ELSEWHERE_CHANNEL } from './ingest/places/heard-elsewhere.ts'
import { LastReads } from './ingest/last-reads.loop.ts'
import { eraseHandlers } from './ingest/inventory/erase/erase.handlers.ts'
import { Retentions } from './positions/retention/retentions.ts'
import { RecentMinutes } from './ingest/places/recent-minutes.ts'
import { alertHandlers, type AlertDeps } from './rules/alerts/alerts.handlers.ts'
import { rulePreviewHandlers, type RulePreviewDeps } from './rules/preview/preview.handlers.ts'
import { liveFinder } from './rules/settings/scope-ids.queries.ts'
import type { Channels } from './rules/notices/channels.ts'
import { ruleTestHandlers, type RuleTestDeps } from './rules/notices/test.handlers.ts'
import { MetadataMatches, type FollowAssets } from './rules/settings/metadata-matches.ts'
import { RuleBook } from './rules/settings/rule-book.ts'
import { ruleHandlers, type RuleSettingDeps } from './rules/settings/rules.handlers.ts'
import { RULES_CHANNEL } from './rules/settings/rules.queries.ts'
import { LiveFeed } from './where/live/live-feed.ts'
import { liveMetrics } from './where/live/live-metrics.ts'
import { CatalogResolver, type AskCatalog } from './catalog/catalog-resolver.ts'
import { CatalogView } from './catalog/catalog-view.ts'
import { ReaderDirectory } from './readers/reader-directory.ts'
import { findRightTimes } from './readers/health/right-times.queries.ts'
import { ReaderHealthLog } from './readers/health/reader-health.ts'
import { UnknownTagLog } from './readers/unknown-tags/unknown-tag-log.ts'

type WireDeps = {
  /** For requests: each sees one organization. */
  tenants: TenantDatabase<Tables>
  longReads: TenantDatabase<Tables>
  /** For ingest, projections and loops: all organizations. */
  worker: Pick<Database<Tables>, 'db' | 'pool'>
  retentionDays: number
  ask: AskCatalog
  askToAttach: AppDeps['askToAttach']
  publishRead: AppDeps['publishRead']
  readBack: AppDeps['readBack']
  hear: AppDeps['hear']
  askReaderUse: AppDeps['askReaderUse']
  wakeOutbox: () => void
  wakeExports: AppDeps['wakeExports']
  wakeExportPurge: AppDeps['wakeExportPurge']
  wakeRules: AppDeps['wakeRules']
  nameCaller: AppDeps['nameCaller']
  channels: Channels
  followAssets: FollowAssets
  verify: PrincipalVerifier
  log: Logger
  registry: Registry
  now?: () => number
}

const DAY_MS = 86_400_000

/** All parts of tracking, connected but not started: no port, no consumer, no loop. */
export function wire({ tenants, longReads, worker, ask, wakeOutbox, ...rest }: WireDeps) {
  const { log, registry } = rest
  const view = new CatalogView()
  const finders = { view, ask, resolver: new CatalogResolver(view, ask) }
  const recent = new RecentMinutes()
  const retentions = new Retentions()
  const metadata = new MetadataMatches(rest.followAssets)
  const book = new RuleBook({
    db: worker.db,
    view,
    metadata,
    zoneOf: (orgId) => retentions.zoneOf(orgId),
    log,
  })
  const rulesOf = (orgId: number) => directory.rules(orgId)
  const lastReads = new LastReads({
    db: worker.db,
    view,
    resolver: finders.resolver,
    recent,
    rulesOf,
    book,
    wakeOutbox,
    ...(rest.now && { now: rest.now }),
  })
  const directory: ReaderDirectory = new ReaderDirectory(worker.db, worker.pool, log, {
    others: {
      channels: {
        [HEARD_ELSEWHERE_CHANNEL]: (payload) => lastReads.hear(payload),
        [RULES_CHANNEL]: (payload) => book.hear(payload),
      },
      onListening: () => {
        recent.clear()
        book.readSoon()
      },
    },
  })
  const health = new ReaderHealthLog(worker.db, log)
  const unknownTags = new UnknownTagLog(worker.db, log)
  const live = new LiveFeed({ log, metrics: liveMetrics(registry) })
  const rates = new KeyRates()
  const app = buildApp({
    ...rest,
    addressing: rest.channels,
    rates,
    ...finders,
    db: tenants,
    across: worker.db,
    longReads,
    directory,
    findAsset: assetFinder(finders),
    readFirstPage: firstPageReader(tenants),
    findAssetId: assetKeyFinder({ db: tenants, ...finders }),
    findLocation: locationFinder(finders),
    rulesOf,
    book,
    findLive: liveFinder(view, finders.resolver),
    zoneOf: (orgId) => retentions.zoneOf(orgId),
    wakeOutbox,
    live,
    retentionMs: rest.retentionDays * DAY_MS,
  })
  const metrics = ingestMetrics(registry)
  const ingest: IngestDeps = {
    db: worker.db,
    view,
    resolver: finders.resolver,
    directory,
    health,
    unknownTags,
    recent,
    retentionMs: rest.retentionDays * DAY_MS,
    retentions,
    findRightTimes: (readers) => findRightTimes(worker.db, readers),
    metrics,
    lastReads,
    admission: new Admission({ rates, health, metrics }),
    rulesOf,
    book,
    wakeOutbox,
  }
  return {
    app,
    live,
    view,
    resolver: finders.resolver,
    directory,
    health,
    unknownTags,
    rates,
    retentions,
    metrics,
    ingest,
    lastReads,
    book,
    metadata,
  }
}

type AppDeps = HistoryDeps &
  ExportDeps &
  ExportFileDeps &
  AllHistoryDeps &
  ReportDeps & { findAssetId: FindAssetId; zoneOf: (orgId: number) => string } & InventoryDeps &
  LiveDeps &
  LiveReadDeps &
  ReaderDeps &
  ScanPointDeps &
  PlacementSettingsDeps &
  PlacementPreviewDeps &
  ReaderMessageDeps &
  Omit<ScanDeps, 'checkMessage'> &
  TestReadDeps &
  RuleSettingDeps &
  RulePreviewDeps &
  AlertDeps &
  RuleTestDeps &
  UnknownTagDeps & { verify: PrincipalVerifier; log: Logger; registry: Registry }

/** The HTTP server of tracking. It does not listen yet. */
function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  app.addHook('preClose', async () => deps.live.close()) // streams do not end by themselves
  serve(app, 'tracking', {
    verify: deps.verify,
    answers: answerKeeper(deps.db, deps.log),
    handlers: {
      ...historyHandlers(deps),
      ...legacyHistoryHandlers(deps),
      ...eraseHandlers(deps),
      ...reportHandlers(deps),
      ...currentLocationsHandlers(deps),
      ...occupancyHandlers(deps),
      ...unsteadyHandlers(deps),
      ...exportHandlers(deps),
      ...exportFileHandlers(deps),
      ...floorHandlers(deps),
      ...movementHandlers(deps),
      ...playbackHandlers(deps),
      ...byLocationHandlers(deps),
      ...movementSummaryHandlers(deps),
      ...visitHandlers(deps),
      ...visitReportHandlers(deps),
      ...liveHandlers(deps),
      ...liveReadHandlers(deps),
      ...readerHandlers(deps),
      ...scanPointHandlers(deps),
      ...placementSettingsHandlers(deps),
      ...placementPreviewHandlers(deps),
      ...readerMessageHandlers(deps),
      ...messagesOfKeyHandlers(deps),
      ...scanHandlers({ ...deps, checkMessage: messageChecker(deps) }),
      ...testReadHandlers(deps),
      ...unknownTagHandlers(deps),
      ...inventoryHandlers(deps),
      ...ruleHandlers(deps),
      ...rulePreviewHandlers(deps),
      ...alertHandlers(deps),
      ...ruleTestHandlers(deps),
    },
  })
  serveRowsOf(app, 'tracking', exportRowRoutes, { verify: deps.verify, handlers: allHistoryHandlers(deps) })
  return app
}

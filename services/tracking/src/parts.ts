import { startCountFolds } from '@whereabouts/db/schema/asset-counts'
import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { watchBroker } from '@whereabouts/messaging/connect/broker-watch'
import { brokerLogin, connect, mqttBrokerLogin, type Broker } from '@whereabouts/messaging/connect/connection'
import { consume, consumeBatches, consumePartitions } from '@whereabouts/messaging/consume/consume'
import { listenTo } from '@whereabouts/messaging/messages/listen'
import { Overflow } from '@whereabouts/messaging/consume/overflow'
import { withNumber } from '@whereabouts/messaging/connect/numbers'
import { OwnedPartitions } from '@whereabouts/messaging/partitions/owned'
import { scansSince } from '@whereabouts/messaging/partitions/scans-since'
import { outboxPublish, publish } from '@whereabouts/messaging/messages/publish'
import { durablesOf, hasOlderMqttCopies, streamNames } from '@whereabouts/messaging/connect/topology'
import {
  brokerMetrics,
  consumerMetrics,
  outboxAge,
  stateMetrics,
} from '@whereabouts/service-kit/observe/metrics'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { closeAll, part, stopAll } from '@whereabouts/service-kit/service/part'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import { CANARY_SUBJECT } from './ingest/canary/canary.ts'
import { newestCanary } from './ingest/canary/canary.queries.ts'
import { DAY_MS } from './positions/packed/day-rows.ts'
import { nameCallerOver } from './rules/alerts/name-caller.ts'
import { lookAtAll, lookAtCatalog } from './rules/live/catalog-changes.ts'
import { channelsOver } from './rules/notices/channels.ts'
import { RuleNotices } from './rules/notices/notices.loop.ts'
import { RuleClock } from './rules/live/clock.loop.ts'
import { startCanary } from './ingest/canary/canary.loop.ts'
import type { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { ingestConsumer, mqttCopyConsumer, overflowConsumer } from './ingest/ingest.consumer.ts'
import { askReaderUseOver } from './setup/reader-messages/reader-use.ts'
import { servePlacements } from './ingest/inventory/place-asset.responder.ts'
import { placementsConsumer } from './ingest/inventory/placements.consumer.ts'
import { liveConnectionsGauge } from './where/live/live-metrics.ts'
import { startPacking } from './positions/packed/packing.loop.ts'
import { startPartitionLoop } from './positions/partitions/partitions.loop.ts'
import { startRetentionLoop } from './positions/retention/retention.loop.ts'
import { followAssetsOf, followCatalog } from './catalog/catalog-follower.ts'
import { askCatalogOver } from './catalog/catalog-resolver.ts'
import { startProgressLoop } from './catalog/progress.loop.ts'
import { projectionsConsumer } from './catalog/projections.consumer.ts'
import { startReaderGauges } from './readers/health/reader-gauges.ts'
import { startReaderSilence } from './ingest/silence/silence.loop.ts'
import { startExportWorker } from './where/exports/job/exports.loop.ts'
import { startExportPurge } from './where/exports/job/purge.loop.ts'
import { serveAssetsAt } from './where/reports/assets-at/assets-at.responder.ts'
import { serveMisplaced } from './where/reports/assets-at/misplaced-assets.responder.ts'
import { serveCurrentLocations } from './where/reports/current-locations/current-locations.responder.ts'
import { askToAttachOver } from './readers/unknown-tags/tag-attacher.ts'
import { deleteKnownTags } from './readers/unknown-tags/unknown-tags.queries.ts'
import { serveErasures } from './readers/usage/erasures.responder.ts'
import { limitsConsumer } from './readers/usage/limits.consumer.ts'
import { serveUsage } from './readers/usage/usage.responder.ts'
import { wire } from './app.ts'

type Config = ReturnType<typeof loadConfig>
type Login = ReturnType<typeof brokerLogin>

/** Messages of readers that a preview holds: 13 MiB of the largest. */
const READ_BACK_AT_ONCE = 50
/** Enough to count the movements of about four million scans. The gateway waits for 10 s, so our error arrives before its timeout. */
const LONG_READ_MS = 8_000

/**
 * `tenants` and `longReads` see one organization each (ADR 38), `worker` sees all, and only `owner` may drop a table.
 */
function openDatabases({ config, log, registry }: Frame<Config>) {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: max } = config
  const settings = plannerSettings
  const ofRequests = { log, settings, prepared: false }
  const tenants = openTenantDatabase<Tables>(url, { ...ofRequests, max, name: 'tracking' })
  const longReads = openTenantDatabase<Tables>(url, {
    ...ofRequests,
    max: 2,
    name: 'tracking past',
    readTimeoutMs: LONG_READ_MS,
  })
  const workerOptions = { max: 8, name: 'tracking ingest', log, settings }
  const worker = openDatabase<Tables>(urlAs('worker', url), workerOptions)
  const owner = openDatabase<Tables>(url, { max: 1, name: 'tracking partitions', log })
  measurePools(registry, { tracking: tenants, 'tracking past': longReads, 'tracking ingest': worker })
  return { tenants, longReads, worker, owner }
}

/** The parts of tracking. Its API listens once the broker is there, and ingest begins once the views are complete. */
export function tracking(frame: Frame<Config>) {
  const { config, log, registry } = frame
  const telemetry = { log, registry }
  const { RETENTION_DAYS: retentionDays } = config
  const databases = openDatabases(frame)
  const { tenants, longReads, worker, owner } = databases
  const channels = channelsOver(() => brokers.up.app)
  const wired = wire({
    ...databases,
    ...telemetry,
    retentionDays,
    ask: (...question) => askCatalogOver(brokers.up.app)(...question),
    askToAttach: (wanted) => askToAttachOver(brokers.up.app)(wanted),
    publishRead: (message) => publish(brokers.up.app, message),
    readBack: (orgId, since) => scansSince(brokers.up.app, { orgId, since, batchSize: READ_BACK_AT_ONCE }),
    hear: (subject, onMessage) => {
      const stops = withNumber(subject).map((each) => listenTo(brokers.up.app, each, onMessage))
      return () => stops.forEach((stop) => stop())
    },
    askReaderUse: (...question) => askReaderUseOver(brokers.up.app)(...question),
    wakeOutbox: () => outbox.value?.wake(),
    wakeExports: () => exports.value?.work.wake(),
    wakeExportPurge: () => exports.value?.purge.wake(),
    wakeRules: () => wakeRules(),
    channels,
    followAssets: (orgId, listener) => followAssetsOf(brokers.up.app, { orgId, log, ...listener }),
    nameCaller: (caller) => nameCallerOver(brokers.up.app)(caller),
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'tracking'),
  })
  const { app, live, directory, health, unknownTags, lastReads } = wired
  const rules = new RuleClock({
    ...wired.ingest,
    ...telemetry,
    storedUntil: () => newestCanary(worker.db),
    probe: () => publish(brokers.up.app, { subject: CANARY_SUBJECT, payload: {} }),
    retentionMs: retentionDays * DAY_MS,
  })
  const notices = new RuleNotices({
    db: worker.db,
    channels,
    zoneOf: (orgId) => wired.retentions.zoneOf(orgId),
    ...telemetry,
  })
  const wakeRules = () => rules.wake()
  wired.metadata.onReady = (orgId) => {
    lookAtAll({ ...wired.ingest, wakeRules }, orgId).catch((error: unknown) =>
      log.warn(
        { err: error, org_id: orgId },
        'rules could not look at what has their metadata; will look with the next change',
      ),
    )
  }
  outboxAge(registry, () => outbox.value?.ageSeconds() ?? 0)
  liveConnectionsGauge(registry, () => live.size)
  const ofBroker = brokerMetrics(registry)
  const ofStates = stateMetrics(registry)
  const ofConsumers = consumerMetrics(registry)
  const runOptions = (durable: string) => ({
    logger: log,
    graceMs: config.SHUTDOWN_GRACE_MS,
    metrics: ofConsumers(durable),
  })

  const database = part('database', { start: () => Object.values(databases), stop: closeAll })
  const loops = part('loops', {
    start: () => ({
      partitions: startPartitionLoop({ ...telemetry, owner: owner.db, retentionDays }),
      packing: startPacking({ ...telemetry, db: worker.db }),
      fold: startCountFolds(worker.db, telemetry),
      gauges: startReaderGauges({ db: worker.db, ...telemetry }),
      directory,
    }),
    stop: (running) => stopAll(Object.values(running)),
  })
  const brokers = part('broker', {
    start: async () => {
      const asUser = (login: Login, name: string, connection: string) =>
        connect({ ...login, name, logger: log, metrics: ofBroker(connection) })
      const [services, mqtt] = await Promise.all([
        asUser(brokerLogin(config), 'tracking', 'services'),
        asUser(mqttBrokerLogin(config), 'tracking mqtt', 'mqtt-services'),
      ])
      return { app: services, mqtt }
    },
    stop: (open) => Promise.all([open.app.drain(), open.mqtt.drain()]),
  })
  const outbox = part('outbox', {
    needs: brokers,
    start: (open) => startOutboxRelay({ pool: worker.pool, publish: outboxPublish(open.app, log), log }),
    stop: (relay) => relay.stop(),
  })
  // Reads that are not written yet, of which ingest and requests make more.
  const notes = part('notes', {
    start: () => {
      lastReads.start(telemetry)
      health.start()
      unknownTags.start()
      return [health, unknownTags, lastReads]
    },
    stop: stopAll,
  })
  const views = part('views', {
    needs: brokers,
    start: ({ app: broker, mqtt }) => {
      live.start(broker)
      const follower = followCatalog(broker, wired.view, log, ofStates('CATALOG'))
      return {
        follower,
        rates: wired.rates.states.follow(broker, log, ofStates('KEYS')),
        retentions: wired.retentions.states.follow(broker, log),
        progress: startProgressLoop({ broker, follower, ...telemetry }),
        projections: consumeBatches(
          broker,
          projectionsConsumer({
            db: worker.db,
            onTags: deleteKnownTags,
            onStored: (...stored) => lookAtCatalog({ ...wired.ingest, wakeRules }, ...stored),
          }),
          runOptions('tracking-catalog'),
        ),
        canary: startCanary({ publish: (message) => publish(broker, message), db: worker.db, ...telemetry }),
        watch: watchBroker(
          { APP: broker, MQTT: mqtt },
          { ...telemetry, streams: streamNames, durables: durablesOf('tracking') },
        ),
      }
    },
    stop: (running) => stopAll(Object.values(running)),
  })
  /** Consumes the scans of the partitions that this replica owns, and what waits of them in OVERFLOW. */
  const startScans = (broker: Broker) => {
    const overflow = new Overflow(broker, {
      logger: log,
      onStored: (count) => wired.metrics.overflowed(count),
    })
    const durable = 'tracking-ingest'
    const consumers = [
      overflow,
      consumePartitions(broker, ingestConsumer(wired.ingest, overflow), runOptions(durable)),
      consumePartitions(broker, overflowConsumer(wired.ingest, overflow), runOptions('tracking-overflow')),
    ]
    return new OwnedPartitions(broker, { durable, log, registry, consumers })
  }
  const startRules = () => {
    rules.start()
    notices.start()
    return { stop: () => stopAll([rules, notices, wired.metadata]) }
  }
  const ingest = part('ingest', {
    needs: views,
    start: async ({ follower, rates, retentions }, stopping) => {
      const { app: broker, mqtt } = brokers.up
      // It waits for the view, because without it no tag is known, and for the rates, because without them it drops
      // allowed messages. Meanwhile the broker keeps the scans.
      await Promise.all([
        follower.caughtUp,
        rates.caughtUp,
        retentions.caughtUp,
        directory.start(),
        loops.up.partitions.firstTurn,
      ])
      await wired.book.ready()
      const older = await hasOlderMqttCopies(broker)
      if (stopping.aborted) return []
      const ofOneOrganization = { ...wired.ingest, db: tenants }
      const copies = { ...runOptions('tracking-ingest-mqtt'), deadLetters: broker }
      log.info({ port: config.PORT, ...wired.view.sizes() }, 'ready')
      return [
        startScans(broker),
        ...[mqtt, ...(older ? [broker] : [])].map((from) =>
          consumeBatches(from, mqttCopyConsumer(wired.ingest), copies),
        ),
        consume(broker, placementsConsumer(ofOneOrganization), runOptions('tracking-placements')),
        consume(broker, limitsConsumer(worker.db), runOptions('tracking-limits')),
        servePlacements(broker, ofOneOrganization, log),
        serveCurrentLocations(broker, tenants, log),
        serveAssetsAt(broker, longReads, log),
        serveMisplaced(broker, { db: longReads, view: wired.view }, log),
        serveUsage(broker, tenants, retentionDays, log),
        serveErasures(broker, owner.db, log),
        startRetentionLoop({
          db: worker.db,
          retentions: wired.retentions,
          types: wired.view.types,
          ...telemetry,
        }),
        startReaderSilence({ ...wired.ingest, ...telemetry, db: worker.db }),
        startRules(),
      ]
    },
    stop: stopAll,
  })
  // After the view, which has the keys of the rows.
  const exports = part('exports', {
    needs: views,
    start: async ({ follower }, stopping) => {
      await follower.caughtUp
      if (stopping.aborted) return undefined
      const shared = { across: worker.db, tenants, ...telemetry }
      return { work: startExportWorker({ ...shared, view: wired.view }), purge: startExportPurge(shared) }
    },
    stop: (running) => stopAll(Object.values(running ?? {})),
  })
  const ready = async () => ({
    database: await worker.isReachable(),
    catalog_view: views.up.follower.hasCaughtUp(),
    message_rates: views.up.rates.hasCaughtUp(),
    readers: directory.isLoaded(),
    live_feed: live.isReady(),
  })
  serveReadiness(app, ready)
  const optional = () => ({
    broker: brokers.up.app.isConnected() && brokers.up.mqtt.isConnected(),
    reads_stored: views.up.canary.areReadsStored(),
  })
  const progress = () => views.up.progress.now()
  return served(frame, app, { needs: views, ready, optional, progress }, (api) => [
    api,
    ingest,
    exports,
    views,
    notes,
    outbox,
    brokers,
    loops,
    database,
  ])
}

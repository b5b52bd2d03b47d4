import { openDatabase } from '@whereabouts/db/database'
import { startOutboxRelay } from '@whereabouts/db/outbox-relay'
import { measurePools } from '@whereabouts/db/pool-metrics'
import { urlAs } from '@whereabouts/db/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant-database'
import { watchBroker } from '@whereabouts/messaging/broker-watch'
import { brokerLogin, connect, mqttBrokerLogin } from '@whereabouts/messaging/connection'
import { consume, consumeBatches } from '@whereabouts/messaging/consume'
import { Overflow } from '@whereabouts/messaging/overflow'
import { outboxPublish } from '@whereabouts/messaging/publish'
import { durablesOf, hasOlderMqttCopies, streamNames } from '@whereabouts/messaging/topology'
import { createLogger } from '@whereabouts/service-kit/logging'
import {
  brokerMetrics,
  consumerMetrics,
  createRegistry,
  outboxAge,
  stateMetrics,
} from '@whereabouts/service-kit/metrics'
import { startOps } from '@whereabouts/service-kit/ops'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/principal'
import { leave, runUntilSignal, start } from '@whereabouts/service-kit/run'
import { startTracing } from '@whereabouts/service-kit/spans'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { ingestConsumer, mqttCopyConsumer, overflowConsumer } from './ingest/ingest.consumer.ts'
import { ingestMetrics } from './ingest/ingest-metrics.ts'
import { Admission } from './ingest/rate/admission.ts'
import { followKeyRates } from './ingest/rate/key-rates-follower.ts'
import { KeyRates } from './ingest/rate/key-rates.ts'
import { RecentMinutes } from './ingest/recent-minutes.ts'
import { answerPlacements } from './inventory/place-asset.responder.ts'
import { placementsConsumer } from './inventory/placements.consumer.ts'
import { LiveFeed } from './live/live-feed.ts'
import { liveConnectionsGauge, liveMetrics } from './live/live-metrics.ts'
import { startPartitionLoop } from './partitions/partitions.loop.ts'
import { followCatalog } from './projections/catalog-follower.ts'
import { askCatalogOver, GapFiller } from './projections/catalog-lookup.ts'
import { CatalogView } from './projections/catalog-view.ts'
import { assetFinder, assetKeyFinder, locationFinder } from './projections/finders.ts'
import { plannerSettings } from './planner.ts'
import { startProgressLoop } from './projections/progress.loop.ts'
import { projectionsConsumer } from './projections/projections.consumer.ts'
import { startReaderCensus } from './readers/reader-census.ts'
import { ReaderDirectory } from './readers/reader-directory.ts'
import { ReaderHealthLog } from './readers/reader-health.ts'
import { answerAssetsAt } from './reports/assets-at.responder.ts'
import { answerCurrentLocations } from './reports/current-locations.responder.ts'
import { askToAttachOver } from './unknown-tags/tag-attacher.ts'
import { UnknownTagLog } from './unknown-tags/unknown-tag-log.ts'

await start('tracking', async () => {
  const config = loadConfig(process.env)
  const log = createLogger('tracking', config.LOG_LEVEL)
  const registry = createRegistry('tracking')
  const tracing = await startTracing({ service: 'tracking', log, config })
  const metrics = consumerMetrics(registry)

  // Who asks about one organization sees that one (ADR 38).
  const own = { log, settings: plannerSettings, prepared: false }
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    ...own,
    max: config.DATABASE_POOL_SIZE,
    name: 'tracking',
  })
  const past = openTenantDatabase<Tables>(config.DATABASE_URL, { ...own, max: 2, name: 'tracking past' })
  // Ingest, what follows catalog and the loops concern all organizations.
  const database = openDatabase<Tables>(urlAs('worker', config.DATABASE_URL), {
    max: 8,
    name: 'tracking ingest',
    log,
    settings: plannerSettings,
  })
  const { db, pool } = database
  // Only the owner of the tables may drop one.
  const owner = openDatabase<Tables>(config.DATABASE_URL, { max: 1, name: 'tracking partitions', log })
  measurePools(registry, { tracking: tenants, 'tracking past': past, 'tracking ingest': database })
  const ofBroker = brokerMetrics(registry)
  const [broker, mqttBroker] = await Promise.all([
    connect({ ...brokerLogin(config), name: 'tracking', logger: log, metrics: ofBroker('services') }),
    connect({
      ...mqttBrokerLogin(config),
      name: 'tracking mqtt',
      logger: log,
      metrics: ofBroker('mqtt-services'),
    }),
  ])
  const relay = startOutboxRelay({ pool, publish: outboxPublish(broker, log), log })
  outboxAge(registry, () => relay.ageSeconds())

  const view = new CatalogView()
  const ask = askCatalogOver(broker)
  const gaps = new GapFiller(view, ask)
  const follower = followCatalog(broker, view, log, stateMetrics(registry)('CATALOG'))
  const progress = startProgressLoop({ broker, follower, registry, log })
  const directory = new ReaderDirectory(db, pool, log)
  const health = new ReaderHealthLog(db, log)
  const unknownTags = new UnknownTagLog(db, log)
  const partitions = startPartitionLoop({
    owner: owner.db,
    retentionDays: config.RETENTION_DAYS,
    log,
    registry,
  })
  const watches = [
    startReaderCensus({ db, registry, log }),
    watchBroker(
      { APP: broker, MQTT: mqttBroker },
      { registry, log, streams: streamNames, durables: durablesOf('tracking') },
    ),
  ]
  health.start()
  unknownTags.start()

  const rates = new KeyRates()
  const ratesFollower = followKeyRates(broker, rates, log)
  const ofIngest = ingestMetrics(registry)
  const overflow = new Overflow(broker, { logger: log, onStored: (count) => ofIngest.overflowed(count) })
  const deps = {
    db,
    view,
    gaps,
    directory,
    health,
    unknownTags,
    recent: new RecentMinutes(),
    metrics: ofIngest,
    admission: new Admission({ rates, health, metrics: ofIngest }),
    wakeOutbox: () => relay.wake(),
  }
  const consumerOptions = { logger: log, graceMs: config.SHUTDOWN_GRACE_MS }
  const projections = consumeBatches(broker, projectionsConsumer({ db }), {
    ...consumerOptions,
    metrics: metrics('tracking-catalog'),
  })
  const finders = { view, ask, gaps }
  const live = new LiveFeed({ log, metrics: liveMetrics(registry) })
  liveConnectionsGauge(registry, () => live.size)
  live.start(broker)
  const verify = principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'tracking')
  const app = buildApp({
    db: tenants,
    directory,
    past,
    retentionDays: config.RETENTION_DAYS,
    findAsset: assetFinder(finders),
    findAssetId: assetKeyFinder({ db: tenants, ...finders }),
    findLocation: locationFinder(finders),
    ...finders,
    askToAttach: askToAttachOver(broker),
    wakeOutbox: () => relay.wake(),
    live,
    verify,
    log,
    registry,
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready: async () => ({
      database: await database.isReachable(),
      broker: broker.isConnected() && mqttBroker.isConnected(),
      catalog_view: follower.isCaughtUp(),
      message_rates: ratesFollower.isCaughtUp(),
      readers: directory.isLoaded(),
      live_feed: live.isReady(),
    }),
    progress: () => progress.now(),
  })
  // Before the view is complete every read would be a gap, so ingest waits; the broker keeps the scans.
  // Without the rates of keys it would drop what they may send.
  await Promise.all([
    follower.caughtUp,
    ratesFollower.caughtUp,
    overflow.start(),
    directory.start(),
    partitions.firstTurn,
  ])
  const ingest = consumeBatches(broker, ingestConsumer(deps, overflow), {
    ...consumerOptions,
    metrics: metrics('tracking-ingest'),
  })
  const copyOptions = { ...consumerOptions, deadLetters: broker, metrics: metrics('tracking-ingest-mqtt') }
  const copies = [consumeBatches(mqttBroker, mqttCopyConsumer(deps), copyOptions)]
  if (await hasOlderMqttCopies(broker))
    copies.push(consumeBatches(broker, mqttCopyConsumer(deps), copyOptions))
  const overflowed = consumeBatches(broker, overflowConsumer(deps, overflow), {
    ...consumerOptions,
    metrics: metrics('tracking-overflow'),
  })
  const ofOneOrganization = { ...deps, db: tenants }
  const placements = consume(broker, placementsConsumer(ofOneOrganization), {
    ...consumerOptions,
    metrics: metrics('tracking-placements'),
  })
  const responders = [
    answerPlacements(broker, ofOneOrganization, log),
    answerCurrentLocations(broker, tenants, log),
    answerAssetsAt(broker, past, log),
  ]

  log.info({ port: config.PORT, ...view.sizes() }, 'ready')

  runUntilSignal(
    [
      leave({ ops, app, drainMs: config.DRAIN_MS }),
      {
        name: 'stop taking requests',
        run: () => Promise.all([app.close(), ...responders.map((responder) => responder.stop())]),
      },
      {
        name: 'stop ingest',
        run: () => {
          const consumptions = [ingest, overflowed, ...copies, placements, projections]
          const ended = [...consumptions, overflow, follower, ratesFollower, progress, ...watches]
          return Promise.all(ended.map((one) => one.stop()))
        },
      },
      { name: 'write reader health', run: () => Promise.all([health.stop(), unknownTags.stop()]) },
      { name: 'publish the outbox', run: () => relay.stop() },
      { name: 'close broker', run: () => Promise.all([broker.drain(), mqttBroker.drain()]) },
      {
        name: 'close database',
        run: async () => {
          await Promise.all([partitions.stop(), directory.stop()])
          await Promise.all([tenants, past, database, owner].map((one) => one.close()))
        },
      },
      { name: 'traces', run: () => tracing.stop() },
      { name: 'close ops', run: () => ops.close() },
    ],
    { graceMs: config.SHUTDOWN_GRACE_MS, log },
  )
})

import { startCountFolds } from '@whereabouts/db/schema/asset-counts'
import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { watchBroker } from '@whereabouts/messaging/connect/broker-watch'
import { brokerLogin, connect, mqttBrokerLogin } from '@whereabouts/messaging/connect/connection'
import { consume, consumeBatches } from '@whereabouts/messaging/consume/consume'
import { listenTo } from '@whereabouts/messaging/messages/listen'
import { Overflow } from '@whereabouts/messaging/consume/overflow'
import { outboxPublish, publish } from '@whereabouts/messaging/messages/publish'
import { readBack } from '@whereabouts/messaging/state/replay'
import { durablesOf, hasOlderMqttCopies, streamNames } from '@whereabouts/messaging/connect/topology'
import { createServiceLogger, type Logger } from '@whereabouts/service-kit/observe/logging'
import {
  brokerMetrics,
  consumerMetrics,
  createRegistry,
  outboxAge,
  stateMetrics,
  type Registry,
} from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { startCanary } from './ingest/canary/canary.loop.ts'
import { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { ingestConsumer, mqttCopyConsumer, overflowConsumer } from './ingest/ingest.consumer.ts'
import { servePlacements } from './inventory/place-asset.responder.ts'
import { placementsConsumer } from './inventory/placements.consumer.ts'
import { liveConnectionsGauge } from './where/live/live-metrics.ts'
import { startPartitionLoop } from './positions/partitions/partitions.loop.ts'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { followCatalog } from './catalog/catalog-follower.ts'
import { askCatalogOver } from './catalog/catalog-resolver.ts'
import { startProgressLoop } from './catalog/progress.loop.ts'
import { projectionsConsumer } from './catalog/projections.consumer.ts'
import { startReaderGauges } from './readers/health/reader-gauges.ts'
import { serveAssetsAt } from './where/reports/assets-at/assets-at.responder.ts'
import { serveCurrentLocations } from './where/reports/current-locations/current-locations.responder.ts'
import { askToAttachOver } from './readers/unknown-tags/tag-attacher.ts'
import { deleteKnownTags } from './readers/unknown-tags/unknown-tags.queries.ts'
import { limitsConsumer } from './readers/usage/limits.consumer.ts'
import { serveUsage } from './readers/usage/usage.responder.ts'
import { wire, type Wired } from './wire.ts'

type Config = ReturnType<typeof loadConfig>
type Telemetry = { log: Logger; registry: Registry }
type Databases = ReturnType<typeof openDatabases>
type Brokers = Awaited<ReturnType<typeof connectBrokers>>

/** Messages of readers that a preview holds: 13 MiB of the largest. */
const READ_BACK_AT_ONCE = 50
/** Enough to count the movements of about four million scans. The gateway waits for 10 s, so our error arrives before its timeout. */
const LONG_READ_MS = 8_000

/**
 * `tenants` and `longReads` see one organization each (ADR 38), `worker` sees all, and only `owner` may drop a table.
 */
function openDatabases({ DATABASE_URL: url, DATABASE_POOL_SIZE: max }: Config, { log, registry }: Telemetry) {
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

async function connectBrokers(config: Config, { log, registry }: Telemetry) {
  const metrics = brokerMetrics(registry)
  const [app, mqtt] = await Promise.all([
    connect({ ...brokerLogin(config), name: 'tracking', logger: log, metrics: metrics('services') }),
    connect({
      ...mqttBrokerLogin(config),
      name: 'tracking mqtt',
      logger: log,
      metrics: metrics('mqtt-services'),
    }),
  ])
  return { app, mqtt }
}

type Intake = {
  config: Config
  databases: Databases
  brokers: Brokers
  overflow: Overflow
  parts: Wired
  log: Logger
  metrics: ReturnType<typeof consumerMetrics>
}

/** Starts the consumers of reader messages and placements, and the responders. */
async function startIntake({ config, databases, brokers, overflow, parts, log, metrics }: Intake) {
  const options = { logger: log, graceMs: config.SHUTDOWN_GRACE_MS }
  const { tenants, longReads } = databases
  const copyOptions = { ...options, deadLetters: brokers.app, metrics: metrics('tracking-ingest-mqtt') }
  const ofOneOrganization = { ...parts.ingest, db: tenants }
  const consumers = [
    consumeBatches(brokers.app, ingestConsumer(parts.ingest, overflow), {
      ...options,
      metrics: metrics('tracking-ingest'),
    }),
    consumeBatches(brokers.mqtt, mqttCopyConsumer(parts.ingest), copyOptions),
    consumeBatches(brokers.app, overflowConsumer(parts.ingest, overflow), {
      ...options,
      metrics: metrics('tracking-overflow'),
    }),
    consume(brokers.app, placementsConsumer(ofOneOrganization), {
      ...options,
      metrics: metrics('tracking-placements'),
    }),
    consume(brokers.app, limitsConsumer(databases.worker.db), {
      ...options,
      metrics: metrics('tracking-limits'),
    }),
  ]
  if (await hasOlderMqttCopies(brokers.app))
    consumers.push(consumeBatches(brokers.app, mqttCopyConsumer(parts.ingest), copyOptions))
  const responders = [
    servePlacements(brokers.app, ofOneOrganization, log),
    serveCurrentLocations(brokers.app, tenants, log),
    serveAssetsAt(brokers.app, longReads, log),
    serveUsage(brokers.app, tenants, config.RETENTION_DAYS, log),
  ]
  return { consumers, responders }
}

await start('tracking', async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger('tracking', config.LOG_LEVEL)
  const registry = createRegistry('tracking')
  const telemetry = { log, registry }
  const tracing = await startTracing({ service: 'tracking', log, config })
  const metrics = consumerMetrics(registry)
  const databases = openDatabases(config, telemetry)
  const { tenants, longReads, worker, owner } = databases
  const brokers = await connectBrokers(config, telemetry)
  const broker = brokers.app
  const relay = startOutboxRelay({ pool: worker.pool, publish: outboxPublish(broker, log), log })
  outboxAge(registry, () => relay.ageSeconds())

  const parts = wire({
    ...databases,
    ...telemetry,
    retentionDays: config.RETENTION_DAYS,
    ask: askCatalogOver(broker),
    askToAttach: askToAttachOver(broker),
    publishRead: (message) => publish(broker, message),
    readBack: (orgId, since) =>
      readBack(broker, { stream: 'SCANS', subject: `scans.${orgId}.>`, since, batchSize: READ_BACK_AT_ONCE }),
    hear: (subject, onMessage) => listenTo(broker, subject, onMessage),
    wakeOutbox: () => relay.wake(),
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'tracking'),
  })
  const { app, live, directory, health, unknownTags } = parts
  const statesOf = stateMetrics(registry)
  const follower = followCatalog(broker, parts.view, log, statesOf('CATALOG'))
  const ratesFollower = parts.rates.states.follow(broker, log, statesOf('KEYS'))
  const progress = startProgressLoop({ broker, follower, ...telemetry })
  const partitions = startPartitionLoop({
    ...telemetry,
    owner: owner.db,
    retentionDays: config.RETENTION_DAYS,
  })
  const fold = startCountFolds(worker.db, telemetry)
  const watches = [
    startReaderGauges({ db: worker.db, ...telemetry }),
    watchBroker(
      { APP: broker, MQTT: brokers.mqtt },
      { ...telemetry, streams: streamNames, durables: durablesOf('tracking') },
    ),
  ]
  const canary = startCanary({
    publish: (message) => publish(broker, message),
    db: worker.db,
    ...telemetry,
  })
  parts.lastReads.start(telemetry)
  health.start()
  unknownTags.start()
  const projections = consumeBatches(
    broker,
    projectionsConsumer({ db: worker.db, onTags: deleteKnownTags }),
    {
      logger: log,
      graceMs: config.SHUTDOWN_GRACE_MS,
      metrics: metrics('tracking-catalog'),
    },
  )
  liveConnectionsGauge(registry, () => live.size)
  live.start(broker)
  const ready = async () => ({
    database: await worker.isReachable(),
    catalog_view: follower.hasCaughtUp(),
    message_rates: ratesFollower.hasCaughtUp(),
    readers: directory.isLoaded(),
    live_feed: live.isReady(),
  })
  serveReadiness(app, ready)
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready,
    optional: () => ({
      broker: broker.isConnected() && brokers.mqtt.isConnected(),
      reads_stored: canary.areReadsStored(),
    }),
    progress: () => progress.now(),
  })
  const overflow = new Overflow(broker, {
    logger: log,
    onStored: (count) => parts.metrics.overflowed(count),
  })
  // Ingest waits for the view, because without it no tag is known, and for the rates, because without them it drops
  // allowed messages. Meanwhile the broker keeps the scans.
  await Promise.all([
    follower.caughtUp,
    ratesFollower.caughtUp,
    overflow.start(),
    directory.start(),
    partitions.firstTurn,
  ])
  const { consumers, responders } = await startIntake({
    config,
    databases,
    brokers,
    overflow,
    parts,
    log,
    metrics,
  })

  log.info({ port: config.PORT, ...parts.view.sizes() }, 'ready')

  const intake = [...consumers, projections, overflow, follower, ratesFollower, progress, canary, ...watches]
  runUntilSignal(
    [
      drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
      {
        name: 'stop taking requests',
        run: () => Promise.all([app.close(), ...responders.map((responder) => responder.stop())]),
      },
      {
        name: 'stop ingest',
        run: () => Promise.all(intake.map((one) => one.stop())),
      },
      {
        name: 'write reader health and last reads',
        run: () => Promise.all([health.stop(), unknownTags.stop(), parts.lastReads.stop()]),
      },
      { name: 'publish the outbox', run: () => relay.stop() },
      { name: 'close broker', run: () => Promise.all([broker.drain(), brokers.mqtt.drain()]) },
      {
        name: 'close database',
        run: async () => {
          await Promise.all([partitions.stop(), fold.stop(), directory.stop()])
          await Promise.all([tenants, longReads, worker, owner].map((one) => one.close()))
        },
      },
      { name: 'traces', run: () => tracing.stop() },
      { name: 'close ops', run: () => ops.close() },
    ],
    { graceMs: config.SHUTDOWN_GRACE_MS, log },
  )
})

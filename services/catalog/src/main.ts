import { openDatabase } from '@whereabouts/db/database'
import { startOutboxRelay, type OutboxRelay } from '@whereabouts/db/outbox-relay'
import { measurePools } from '@whereabouts/db/pool-metrics'
import { urlAs } from '@whereabouts/db/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant-database'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connection'
import { outboxPublish } from '@whereabouts/messaging/publish'
import { createLogger } from '@whereabouts/service-kit/logging'
import { brokerMetrics, createRegistry, outboxAge } from '@whereabouts/service-kit/metrics'
import { startOps } from '@whereabouts/service-kit/ops'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/principal'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/run'
import { startTracing } from '@whereabouts/service-kit/spans'
import { buildApp } from './app.ts'
import { transactionRunner } from './transactions/transactions.ts'
import { startResponders } from './broker/responders.ts'
import { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { batchMetrics, startImportGauges } from './imports/imports-metrics.ts'
import { startImportWorker } from './imports/imports.loop.ts'
import { startImportPurge } from './imports/purge.loop.ts'
import { askTrackingOver } from './broker/tracking/tracking.ts'

await start('catalog', async () => {
  const config = loadConfig(process.env)
  const log = createLogger('catalog', config.LOG_LEVEL)
  const registry = createRegistry('catalog')
  const tracing = await startTracing({ service: 'catalog', log, config })
  // Requests see one organization each; the outbox and the claims of imports concern all (ADR 38).
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'catalog',
    log,
  })
  const database = openDatabase<Tables>(urlAs('worker', config.DATABASE_URL), {
    max: 3,
    name: 'catalog loops',
    log,
  })
  // Set once the broker has been reached. Until then changes wait in the outbox and lookups have no responder.
  let broker: Broker | undefined
  let relay: OutboxRelay | undefined
  let responders: ReturnType<typeof startResponders> | undefined
  outboxAge(registry, () => relay?.ageSeconds() ?? 0)
  measurePools(registry, { catalog: tenants, 'catalog loops': database })
  const ofBroker = brokerMetrics(registry)('services')
  const forAll = { across: database.db, tenants, log, registry }
  const onBatch = batchMetrics(registry)
  const wakeOutbox = () => relay?.wake()
  const imports = startImportWorker({ ...forAll, onBatch, wakeOutbox })
  const purge = startImportPurge(forAll)
  const gauges = startImportGauges(forAll)
  const runInTransaction = transactionRunner(tenants, wakeOutbox)
  const app = buildApp({
    db: tenants,
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'catalog'),
    log,
    registry,
    tracking: askTrackingOver(() => broker, log),
    runInTransaction,
    imports: { wake: () => imports.wake(), purge: () => purge.wake() },
  })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    // The API works without the broker, so its connection does not count; see README.
    ready: async () => ({ database: await database.isReachable(), started: responders !== undefined }),
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const phases = [
    drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
    { name: 'api', run: () => app.close() },
    { name: 'imports', run: () => Promise.all([imports.stop(), purge.stop(), gauges.stop()]) },
    { name: 'answers', run: () => responders?.stop() },
    { name: 'outbox', run: () => relay?.stop() },
    { name: 'broker', run: () => broker?.drain() },
    { name: 'database', run: () => Promise.all([tenants.close(), database.close()]) },
    { name: 'traces', run: () => tracing.stop() },
    { name: 'ops', run: () => ops.close() },
  ]
  runUntilSignal(phases, { graceMs: config.SHUTDOWN_GRACE_MS, log })
  broker = await connect({ ...brokerLogin(config), name: 'catalog', logger: log, metrics: ofBroker })
  relay = startOutboxRelay({ pool: database.pool, publish: outboxPublish(broker, log), log })
  responders = startResponders(broker, { tenants, across: database.db, runInTransaction, log })
  log.info({ port: config.PORT, ops_port: ops.port }, 'catalog started')
})

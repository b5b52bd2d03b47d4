import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay, type OutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { brokerLogin, connect, FOR_EVER, type Broker } from '@whereabouts/messaging/connect/connection'
import { consume } from '@whereabouts/messaging/consume/consume'
import { outboxPublish } from '@whereabouts/messaging/messages/publish'
import { createServiceLogger } from '@whereabouts/service-kit/observe/logging'
import {
  brokerMetrics,
  consumerMetrics,
  createRegistry,
  outboxAge,
} from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { startLoops } from './loops.ts'
import { startResponders } from './responders/responders.ts'
import { trackingClient } from './assets/tracking/tracking.ts'
import { limitsConsumer } from './responders/usage/limits.consumer.ts'
import { wire } from './wire.ts'

await start('catalog', async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger('catalog', config.LOG_LEVEL)
  const registry = createRegistry('catalog')
  const tracing = await startTracing({ service: 'catalog', log, config })
  // Requests see one organization each. The outbox and the loops of imports see all (ADR 38).
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'catalog',
    log,
    settings: plannerSettings,
  })
  const database = openDatabase<Tables>(urlAs('worker', config.DATABASE_URL), {
    max: 3,
    name: 'catalog loops',
    log,
  })
  // Set when the broker is connected. Until then, changes wait in the outbox and nothing answers lookups.
  let broker: Broker | undefined
  let relay: OutboxRelay | undefined
  let responders: ReturnType<typeof startResponders> | undefined
  let limits: ReturnType<typeof consume> | undefined
  outboxAge(registry, () => relay?.ageSeconds() ?? 0)
  measurePools(registry, { catalog: tenants, 'catalog loops': database })
  const metrics = brokerMetrics(registry)('services')
  const wakeOutbox = () => relay?.wake()
  const loops = startLoops({ across: database.db, tenants, wakeOutbox, log, registry })
  const { app, runInTransaction } = wire({
    db: tenants,
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'catalog'),
    log,
    registry,
    tracking: trackingClient(() => broker, log),
    wakeOutbox,
    imports: { wake: loops.wakeImports, purge: loops.wakePurge },
  })
  const ready = async () => ({ database: await database.isReachable() })
  serveReadiness(app, ready)
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready,
    optional: () => ({ broker: broker?.isConnected() ?? false }),
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const phases = [
    drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
    { name: 'api', run: () => app.close() },
    { name: 'imports', run: () => loops.stop() },
    { name: 'responders', run: () => Promise.all([responders?.stop(), limits?.stop()]) },
    { name: 'outbox', run: () => relay?.stop() },
    { name: 'broker', run: () => broker?.drain() },
    { name: 'database', run: () => Promise.all([tenants.close(), database.close()]) },
    { name: 'traces', run: () => tracing.stop() },
    { name: 'ops', run: () => ops.close() },
  ]
  runUntilSignal(phases, { graceMs: config.SHUTDOWN_GRACE_MS, log })
  broker = await connect({
    ...brokerLogin(config),
    name: 'catalog',
    logger: log,
    metrics,
    firstConnectMs: FOR_EVER,
  })
  relay = startOutboxRelay({ pool: database.pool, publish: outboxPublish(broker, log), log })
  limits = consume(broker, limitsConsumer(database.db), {
    logger: log,
    graceMs: config.SHUTDOWN_GRACE_MS,
    metrics: consumerMetrics(registry)('catalog-limits'),
  })
  responders = startResponders(broker, { tenants, across: database.db, runInTransaction, log })
  log.info({ port: config.PORT, ops_port: ops.port }, 'catalog started')
})

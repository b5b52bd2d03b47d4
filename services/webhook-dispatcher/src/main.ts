import { openDatabase } from '@whereabouts/db/connect/database'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { brokerLogin, connect, FOR_EVER, type Broker } from '@whereabouts/messaging/connect/connection'
import { watchBroker } from '@whereabouts/messaging/connect/broker-watch'
import { durablesOf } from '@whereabouts/messaging/connect/topology'
import { createServiceLogger } from '@whereabouts/service-kit/observe/logging'
import {
  brokerMetrics,
  consumerMetrics,
  createRegistry,
  stateMetrics,
} from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { startDelivery, type Delivery } from './deliveries/delivery/delivery.ts'
import { sealGauge, startWebhookGauges } from './metrics.ts'
import { startResealing } from './webhooks/reseal.loop.ts'
import { wire } from './wire.ts'

const SERVICE = 'webhook-dispatcher'
/** Reserved in the shutdown phase for the last acknowledgements of the consumer. */
const LAST_ACKS_MS = 3_000

await start(SERVICE, async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger(SERVICE, config.LOG_LEVEL)
  const registry = createRegistry(SERVICE)
  const tracing = await startTracing({ service: SERVICE, log, config })
  // A request sees one organization. Deliveries and loops see all (ADR 38).
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: SERVICE,
    log,
  })
  const database = openDatabase<Tables>(urlAs('worker', config.DATABASE_URL), {
    max: 4,
    name: `${SERVICE} deliveries`,
    log,
  })
  const { WEBHOOK_SECRET_KEYS: secretKeys, ALLOW_PRIVATE_TARGETS: allowPrivateTargets } = config
  if (allowPrivateTargets)
    log.warn('private targets and plain http are allowed; use this in development only')

  let broker: Broker | undefined
  let delivery: Delivery | undefined
  const { app, agents, lanes, attempts } = wire({
    tenants,
    across: database.db,
    secretKeys,
    allowPrivateTargets,
    ports: config.WEBHOOK_PORTS,
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), SERVICE),
    log,
    registry,
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready: async () => ({ database: await database.isReachable() }),
    optional: () => ({
      broker: broker?.isConnected() ?? false,
      subscriptions: delivery?.hasCaughtUp() ?? false,
    }),
  })

  const loops = { across: database.db, log, registry }
  const resealing = startResealing({ ...loops, secretKeys, onRound: sealGauge(registry) })
  const gauges = startWebhookGauges(loops)
  measurePools(registry, { [SERVICE]: tenants, deliveries: database })
  const ofBroker = brokerMetrics(registry)('services')
  const { SHUTDOWN_GRACE_MS: graceMs } = config
  const login = { ...brokerLogin(config), name: SERVICE, firstConnectMs: FOR_EVER }
  broker = await connect({ ...login, logger: log, metrics: ofBroker })
  const watch = watchBroker(
    { APP: broker },
    {
      registry,
      log,
      streams: ['EVENTS', 'KEYS'],
      durables: durablesOf(SERVICE),
    },
  )
  delivery = startDelivery(broker, attempts, {
    lanes,
    consumerMetrics: consumerMetrics(registry)('webhook-dispatcher-lanes'),
    stateMetrics: stateMetrics(registry)('KEYS'),
    graceMs: Math.max(0, graceMs - LAST_ACKS_MS),
  })

  const [openBroker, running] = [broker, delivery]
  const phases = [
    drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
    { name: 'deliveries', run: () => running.stop() },
    { name: 'api', run: () => app.close() },
    { name: 'targets', run: () => agents.destroy() },
    { name: 'loops', run: () => Promise.all([resealing.stop(), gauges.stop(), watch.stop()]) },
    { name: 'broker', run: () => openBroker.drain() },
    { name: 'database', run: () => Promise.all([tenants.close(), database.close()]) },
    { name: 'traces', run: () => tracing.stop() },
    { name: 'ops', run: () => ops.close() },
  ]
  runUntilSignal(phases, { graceMs, log })
})

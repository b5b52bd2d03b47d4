import { routes } from '@whereabouts/contracts/routes'
import { openDatabase } from '@whereabouts/db/connect/database'
import { openPipeline } from '@whereabouts/db/tenant/pipeline'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { deleteFullBuckets, takeToken } from '@whereabouts/db/buckets/token-bucket'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import type { Follower } from '@whereabouts/messaging/state/follow'
import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import { createServiceLogger } from '@whereabouts/service-kit/observe/logging'
import { brokerMetrics, createRegistry, stateMetrics } from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import { principalPrivateKey } from '@whereabouts/service-kit/http/principal'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { startKeyRefresh } from './auth/key-refresh.loop.ts'
import { KeyView } from './auth/key-view.ts'
import { tokenVerifier } from './auth/token-verifier.ts'
import { loadConfig, type Config } from './config.ts'
import { startPurge } from './limits/purge.loop.ts'
import { gatewayMetrics, keyViewGauge } from './metrics.ts'
import { wire } from './wire.ts'

const upstreamsOf = (config: Config) => ({
  catalog: config.CATALOG_URL,
  tracking: config.TRACKING_URL,
  keys: config.KEYS_URL,
  'webhook-dispatcher': config.WEBHOOK_DISPATCHER_URL,
  console: config.CONSOLE_URL,
})

/** Without the broker, keys and members are looked up over HTTP. */
const RETRY_MS = 5_000

await start('gateway', async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger('gateway', config.LOG_LEVEL)
  const registry = createRegistry('gateway')
  const tracing = await startTracing({ service: 'gateway', log, config })
  const metrics = gatewayMetrics(registry)

  const database = openDatabase(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'gateway',
    log,
    statementTimeoutMs: 2_000,
  })
  const buckets = openPipeline(config.DATABASE_URL, { name: 'gateway-buckets', log, timeoutMs: 1_000 })
  measurePools(registry, { gateway: database })
  const view = new KeyView((seconds) => metrics.revocations.observe(seconds))
  const ofBroker = brokerMetrics(registry)('services')
  const ofKeys = stateMetrics(registry)('KEYS')
  let source: { broker: Broker; follower: Follower } | undefined
  const following = startBackgroundJob({ name: 'key-view', everyMs: RETRY_MS, log }, async () => {
    if (source) return
    const login = { ...brokerLogin(config), name: 'gateway', firstConnectMs: 0 }
    const broker = await connect({ ...login, logger: log, metrics: ofBroker })
    source = { broker, follower: view.states.follow(broker, log, ofKeys) }
  })
  const isCurrent = () => view.states.isCurrent()
  keyViewGauge(registry, isCurrent)
  const verifier = tokenVerifier({ keysUrl: config.KEYS_URL, environment: config.ENVIRONMENT, log })
  const refresh = startKeyRefresh(verifier, { log, registry })
  const purge = startPurge(() => deleteFullBuckets(database.pool), { log, registry })

  const app = wire({
    log,
    registry,
    metrics,
    view,
    isCurrent,
    verifier,
    signingKey: principalPrivateKey(config.PRINCIPAL_PRIVATE_KEY),
    takeShared: (bucket, rate) => takeToken(buckets, bucket, rate),
    upstreams: upstreamsOf(config),
    refusedAgents: config.WEB_FILTER_PREFIXES,
    publicUrl: config.PUBLIC_URL.replace(/\/+$/, ''),
    trustedProxies: config.TRUSTED_PROXIES,
    timeoutsMs: {
      read: config.READ_TIMEOUT_MS,
      write: config.WRITE_TIMEOUT_MS,
      keepAlive: config.UPSTREAM_KEEP_ALIVE_MS,
    },
    maxBodyBytesInFlight: config.MAX_BODY_BYTES_IN_FLIGHT,
    maxConnectionsPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
    routes,
    legacySunset: config.LEGACY_SUNSET,
    securityContact: config.SECURITY_CONTACT,
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready: () => ({ signing_keys: verifier.hasKeys() }),
    // Without the database, each gateway counts rate limits alone.
    optional: async () => ({ database: await database.isReachable(), key_view: isCurrent() }),
  })
  runUntilSignal(
    [
      drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
      { name: 'requests', run: () => app.close() },
      { name: 'loops', run: () => Promise.all([refresh.stop(), purge.stop()]) },
      {
        name: 'broker',
        run: async () => {
          await following.stop()
          await source?.follower.stop()
          await source?.broker.close()
        },
      },
      { name: 'database', run: () => Promise.all([buckets.close(), database.close()]) },
      { name: 'traces', run: () => tracing.stop() },
      { name: 'ops', run: () => ops.close() },
    ],
    { graceMs: config.SHUTDOWN_GRACE_MS, log },
  )
})

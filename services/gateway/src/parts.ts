import { routes } from '@whereabouts/contracts/routes'
import { openDatabase } from '@whereabouts/db/connect/database'
import { openPipeline } from '@whereabouts/db/tenant/pipeline'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { deleteFullBuckets, takeToken } from '@whereabouts/db/buckets/token-bucket'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import type { Follower } from '@whereabouts/messaging/state/follow'
import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import { brokerMetrics, stateMetrics } from '@whereabouts/service-kit/observe/metrics'
import { principalPrivateKey } from '@whereabouts/service-kit/http/principal'
import { closeAll, part, stopAll } from '@whereabouts/service-kit/service/part'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import { KeyView } from './auth/key-view.ts'
import { tokenVerifier } from './auth/token-verifier.ts'
import type { Config } from './config.ts'
import { gatewayMetrics, keyViewGauge } from './metrics.ts'
import { wire } from './app.ts'

const upstreamsOf = (config: Config) => ({
  catalog: config.CATALOG_URL,
  tracking: config.TRACKING_URL,
  keys: config.KEYS_URL,
  'webhook-dispatcher': config.WEBHOOK_DISPATCHER_URL,
  console: config.CONSOLE_URL,
})

/** Without the broker, keys and members are looked up over HTTP. */
const RETRY_MS = 5_000
/** Retries are short, because a gateway without keys is not ready. */
const KEY_REFRESH = { name: 'signing-key-refresh', everyMs: 5 * 60_000, retryMs: 1_000, maxRetryMs: 5_000 }

/** The parts of the gateway. Nothing needs the broker or the database: it serves with less while they are away. */
export function gateway(frame: Frame<Config>) {
  const { config, log, registry } = frame
  const metrics = gatewayMetrics(registry)
  const counters = openDatabase(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'gateway',
    log,
    statementTimeoutMs: 2_000,
  })
  const buckets = openPipeline(config.DATABASE_URL, { name: 'gateway-buckets', log, timeoutMs: 1_000 })
  measurePools(registry, { gateway: counters })
  const view = new KeyView((seconds) => metrics.revocations.observe(seconds))
  const isCurrent = () => view.states.isCurrent()
  keyViewGauge(registry, isCurrent)
  const verifier = tokenVerifier({ keysUrl: config.KEYS_URL, environment: config.ENVIRONMENT, log })
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

  const database = part('database', { start: () => [buckets, counters], stop: closeAll })
  const ofBroker = brokerMetrics(registry)('services')
  const ofKeys = stateMetrics(registry)('KEYS')
  let source: { broker: Broker; follower: Follower } | undefined
  const broker = part('broker', {
    start: () =>
      startBackgroundJob({ name: 'key-view', everyMs: RETRY_MS, log }, async () => {
        if (source) return
        const login = { ...brokerLogin(config), name: 'gateway', firstConnectMs: 0 }
        const open = await connect({ ...login, logger: log, metrics: ofBroker })
        source = { broker: open, follower: view.states.follow(open, log, ofKeys) }
      }),
    stop: async (following) => {
      await following.stop()
      await source?.follower.stop()
      await source?.broker.close()
    },
  })
  const loops = part('loops', {
    start: () => [
      // A withdrawn key stops being trusted. After a failure the known keys stay in use.
      startBackgroundJob({ ...KEY_REFRESH, log, registry }, async () => {
        await verifier.refresh()
      }),
      startBackgroundJob({ name: 'bucket-purge', everyMs: 10 * 60_000, log, registry }, async () => {
        log.debug({ deleted: await deleteFullBuckets(counters.pool) }, 'full rate-limit buckets deleted')
      }),
    ],
    stop: stopAll,
  })
  const health = {
    ready: () => ({ signing_keys: verifier.hasKeys() }),
    // Without the database, each gateway counts rate limits alone.
    optional: async () => ({ database: await counters.isReachable(), key_view: isCurrent() }),
  }
  return served(frame, app, health, (api) => [api, loops, broker, database])
}

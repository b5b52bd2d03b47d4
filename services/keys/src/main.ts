import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { openPipeline } from '@whereabouts/db/tenant/pipeline'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { deleteFullBuckets } from '@whereabouts/db/buckets/token-bucket'
import { createServiceLogger } from '@whereabouts/service-kit/observe/logging'
import { brokerMetrics, createRegistry, outboxAge } from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import {
  gatewayVerifier,
  principalPublicKeys,
  principalVerifier,
} from '@whereabouts/service-kit/http/principal'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { timedWork } from '@whereabouts/service-kit/service/timed-work'
import { openBrokers } from './brokers.ts'
import { KeyUse } from './credentials/api-keys/key-use.ts'
import { loadConfig } from './config.ts'
import type { KeysDatabase } from './db.ts'
import { createFloodGuard } from './brokers/floods/flood-guard.ts'
import { startLoops } from './loops.ts'
import { disconnectMetrics, loginMetrics, startGauges, suspensionMetrics } from './metrics.ts'
import { wire } from './wire.ts'

await start('keys', async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger('keys', config.LOG_LEVEL)
  const registry = createRegistry('keys')
  const tracing = await startTracing({ service: 'keys', log, config })
  // Requests see one organization each. Sign-ins and loops see all (ADR 38).
  const tenants = openTenantDatabase<KeysDatabase>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'keys',
    log,
    prepared: false, // a prepared `select *` fails after a migration
  })
  const database = openDatabase<KeysDatabase>(urlAs('worker', config.DATABASE_URL), {
    max: 6,
    name: 'keys logins',
    log,
  })
  const { db, pool } = database
  const bucketDatabase = openPipeline(urlAs('worker', config.DATABASE_URL), {
    name: 'keys-buckets',
    log,
    timeoutMs: 1_000,
  })
  const principalKeys = principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY)
  const { app, signingKeys } = wire({
    tenants,
    db,
    bucketDatabase,
    signingKeySecret: Buffer.from(config.SIGNING_KEY_SECRET, 'base64url'),
    log,
    registry,
    verify: principalVerifier(principalKeys, 'keys'),
    verifyGateway: gatewayVerifier(principalKeys, 'keys'),
    environment: config.ENVIRONMENT,
    addressRate: { capacity: config.ADDRESS_ATTEMPTS, secondsPerToken: config.ADDRESS_ATTEMPT_SECONDS },
    onChange: () => {
      relay.wake()
      loops.wakeDisconnects()
    },
    usageElsewhere: (orgId) => brokers.usageElsewhere(orgId),
    isCredentialOptional: config.INTERNAL_WITHOUT_CREDENTIAL,
    now: Date.now,
  })

  measurePools(registry, { keys: tenants, 'keys logins': database })
  const metrics = brokerMetrics(registry)
  const watched = timedWork(registry, 'flood-watch', 1_000)
  const use = new KeyUse(db)
  const brokers = openBrokers(config, {
    db,
    log,
    metrics,
    onMessages: (users) => use.note(users),
    onLogin: loginMetrics(registry),
    onSent: (sent) => guard.take(sent),
    onRatesAnswer: watched.done,
  })
  const onSuspension = suspensionMetrics(registry)
  const guard = createFloodGuard({
    db,
    disconnect: brokers.disconnect,
    isConnected: (user) => brokers.hasConnections(user),
    log,
    onSuspension,
  })
  const relay = startOutboxRelay({ pool, publish: brokers.publish, log })
  outboxAge(registry, () => relay.ageSeconds())
  const loops = startLoops({
    db,
    log,
    signingKeys,
    signingKeyDays: config.SIGNING_KEY_DAYS,
    disconnect: brokers.disconnect,
    endLostLogins: () => brokers.endLostLogins(),
    misplacedReaders: () => brokers.misplacedReaders(),
    flushUse: () => use.flush(),
    purgeBuckets: () => deleteFullBuckets(pool),
    registry,
    onDisconnect: disconnectMetrics(registry),
  })
  const gauges = startGauges({
    db,
    registry,
    log,
    signingKeyDays: config.SIGNING_KEY_DAYS,
    readerAccounts: () => brokers.readerAccounts(),
    certificates: () => brokers.certificates(),
  })

  const ready = async () => ({ database: await database.isReachable() })
  serveReadiness(app, ready)
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({
    host: config.HOST,
    port: config.OPS_PORT,
    registry,
    ready,
    optional: () => ({ broker: brokers.isConnected() }),
  })

  runUntilSignal(
    [
      drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
      {
        name: 'intake',
        run: async () => {
          await Promise.all([app.close(), brokers.stopAnswering(), loops.stop(), gauges.stop()])
          await guard.idle()
          await use.flush()
        },
      },
      { name: 'outbox', run: () => relay.stop() },
      { name: 'broker', run: () => brokers.close() },
      {
        name: 'database',
        run: () => Promise.all([tenants.close(), bucketDatabase.close(), database.close()]),
      },
      { name: 'traces', run: () => tracing.stop() },
      { name: 'ops', run: () => ops.close() },
    ],
    { graceMs: config.SHUTDOWN_GRACE_MS, log },
  )
  await brokers.connected
  log.info({ port: config.PORT }, 'keys is up')
})

import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { watchBroker } from '@whereabouts/messaging/connect/broker-watch'
import { durablesOf } from '@whereabouts/messaging/connect/topology'
import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { openPipeline } from '@whereabouts/db/tenant/pipeline'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { deleteFullBuckets } from '@whereabouts/db/buckets/token-bucket'
import { brokerMetrics, consumerMetrics, outboxAge } from '@whereabouts/service-kit/observe/metrics'
import {
  gatewayVerifier,
  principalPublicKeys,
  principalVerifier,
} from '@whereabouts/service-kit/http/principal'
import { closeAll, part, stopAll } from '@whereabouts/service-kit/service/part'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import { timedWork } from '@whereabouts/service-kit/service/timed-work'
import { wire } from './app.ts'
import { auditRecorder } from './organizations/audit/audit.consumer.ts'
import { openBrokers } from './brokers.ts'
import { KeyUse } from './credentials/api-keys/key-use.ts'
import type { Config } from './config.ts'
import type { KeysDatabase } from './db.ts'
import { createFloodGuard } from './brokers/floods/flood-guard.ts'
import { startLoops } from './loops.ts'
import { signOnOf } from './people/single-sign-on/sign-on-settings.ts'
import { serveMailAlerts, serveUnknownRecipients } from './people/alerts/alert-mails.responders.ts'
import { serveCallerName } from './people/alerts/caller-name.responder.ts'
import { createSmtp } from './people/mail/smtp.ts'
import { loginMetrics, startGauges, suspensionMetrics } from './metrics.ts'

/** The parts of keys. Without the broker the outbox keeps its rows, and readers wait for their login. */
export function keys(frame: Frame<Config>) {
  const { config, log, registry } = frame
  const workerUrl = urlAs('worker', config.DATABASE_URL)
  // Requests see one organization each. Sign-ins and loops see all (ADR 38).
  const tenants = openTenantDatabase<KeysDatabase>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'keys',
    log,
    prepared: false, // a prepared `select *` fails after a migration
  })
  const worker = openDatabase<KeysDatabase>(workerUrl, { max: 6, name: 'keys logins', log })
  // Only the owner may delete rows of every table.
  const owner = openDatabase<KeysDatabase>(config.DATABASE_URL, { max: 1, name: 'keys erasures', log })
  const bucketDatabase = openPipeline(workerUrl, { name: 'keys-buckets', log, timeoutMs: 1_000 })
  measurePools(registry, { keys: tenants, 'keys logins': worker })
  const { db, pool } = worker
  const principalKeys = principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY)
  const { app, signingKeys, mails } = wire({
    tenants,
    db,
    bucketDatabase,
    signingKeySecret: Buffer.from(config.SIGNING_KEY_SECRET, 'base64url'),
    log,
    registry,
    verify: principalVerifier(principalKeys, 'keys'),
    verifyGateway: gatewayVerifier(principalKeys, 'keys'),
    environment: config.ENVIRONMENT,
    signOn: signOnOf(config),
    consoleUrl: config.SMTP_URL === undefined ? undefined : config.PUBLIC_URL,
    addressRate: { capacity: config.ADDRESS_ATTEMPTS, secondsPerToken: config.ADDRESS_ATTEMPT_SECONDS },
    onChange: () => {
      outbox.value?.wake()
      loops.value?.disconnects.wake()
      loops.value?.mails?.wake()
    },
    usageElsewhere: (orgId) => brokers.usageElsewhere(orgId),
    isCredentialOptional: config.INTERNAL_WITHOUT_CREDENTIAL,
    now: Date.now,
  })
  const ready = async () => ({ database: await worker.isReachable() })
  serveReadiness(app, ready)
  const use = new KeyUse(db)
  const smtp =
    config.SMTP_URL === undefined ? undefined : createSmtp({ url: config.SMTP_URL, from: config.MAIL_FROM })
  const brokers = openBrokers(config, {
    db,
    log,
    metrics: brokerMetrics(registry),
    onMessages: (users) => use.note(users),
    onLogin: loginMetrics(registry),
    onSent: (sent) => guard.take(sent),
    onRatesAnswer: timedWork(registry, 'flood-watch', 1_000).done,
  })
  const guard = createFloodGuard({
    db,
    disconnect: brokers.disconnect,
    isConnected: (user) => brokers.hasConnections(user),
    log,
    onSuspension: suspensionMetrics(registry),
  })
  outboxAge(registry, () => outbox.value?.ageSeconds() ?? 0)

  const database = part('database', { start: () => [tenants, bucketDatabase, worker, owner], stop: closeAll })
  const broker = part('broker', { start: () => brokers.connected, stop: () => brokers.close() })
  const outbox = part('outbox', {
    start: () => startOutboxRelay({ pool, publish: brokers.publish, log }),
    stop: (relay) => relay.stop(),
  })
  const shared = { db, log, registry, signingKeyDays: config.SIGNING_KEY_DAYS }
  const loops = part('loops', {
    start: () => ({
      ...startLoops({
        ...shared,
        owner: owner.db,
        signingKeys,
        brokers,
        use,
        purgeBuckets: () => deleteFullBuckets(pool),
        mail: smtp && { mails, smtp },
      }),
      gauges: startGauges({
        ...shared,
        readerAccounts: () => brokers.readerAccounts(),
        certificates: () => brokers.certificates(),
      }),
    }),
    stop: async (running) => {
      await stopAll(Object.values(running).filter((loop) => loop !== undefined))
      smtp?.close()
      await use.flush()
    },
  })
  // With them end the reports of the brokers. The last ones are checked.
  const logins = part('logins', {
    needs: broker,
    start: () => brokers,
    stop: async () => {
      await brokers.stopAnswering()
      await guard.idle()
    },
  })
  const people = part('people', {
    needs: broker,
    start: (services) => {
      const onMail = () => loops.value?.mails?.wake()
      return [
        serveCallerName(services, db, log),
        serveUnknownRecipients(services, { db }, log),
        serveMailAlerts(services, { db, mails, onMail }, log),
      ]
    },
    stop: stopAll,
  })
  const recorder = part('audit', {
    needs: broker,
    start: (services) =>
      consumeBatches(services, auditRecorder(db), {
        logger: log,
        metrics: consumerMetrics(registry)('keys-audit'),
        graceMs: config.SHUTDOWN_GRACE_MS / 2,
      }),
    stop: (running) => running.stop(),
  })
  const watch = part('watch', {
    needs: broker,
    start: (services) =>
      watchBroker({ APP: services }, { registry, log, streams: ['AUDIT'], durables: durablesOf('keys') }),
    stop: (watching) => watching.stop(),
  })
  const optional = () => ({ broker: brokers.isConnected() })
  return served(frame, app, { ready, optional }, (api) => [
    api,
    logins,
    people,
    recorder,
    watch,
    loops,
    outbox,
    broker,
    database,
  ])
}

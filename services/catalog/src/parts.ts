import { startAnswerPurge } from '@whereabouts/db/answers/answers-purge'
import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { startCountFolds } from '@whereabouts/db/schema/asset-counts'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { brokerLogin, connect, FOR_EVER } from '@whereabouts/messaging/connect/connection'
import { consume } from '@whereabouts/messaging/consume/consume'
import { outboxPublish } from '@whereabouts/messaging/messages/publish'
import { brokerMetrics, consumerMetrics, outboxAge } from '@whereabouts/service-kit/observe/metrics'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { closeAll, part, stopAll } from '@whereabouts/service-kit/service/part'
import { serveReadiness } from '@whereabouts/service-kit/service/readiness'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import { wire } from './app.ts'
import type { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { batchMetrics, startImportGauges } from './bulk/imports/imports-metrics.ts'
import { startImportWorker } from './bulk/imports/imports.loop.ts'
import { startImportPurge } from './bulk/imports/purge.loop.ts'
import { serveErasures } from './responders/erasures/erasures.responder.ts'
import { serveLookups } from './responders/lookup/lookup.responder.ts'
import { serveRepublish } from './republish/states.ts'
import { serveTagClaims } from './responders/tag-claims/tag-claims.responder.ts'
import { serveUsage } from './responders/usage/usage.responder.ts'
import { trackingClient } from './assets/tracking/tracking.ts'
import { limitsConsumer } from './responders/usage/limits.consumer.ts'

/** The parts of catalog. Without the broker changes wait in the outbox, and nothing answers lookups. */
export function catalog(frame: Frame<ReturnType<typeof loadConfig>>) {
  const { config, log, registry } = frame
  // Requests see one organization each. The outbox and the loops of imports see all (ADR 38).
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: 'catalog',
    log,
    settings: plannerSettings,
  })
  const worker = openDatabase<Tables>(urlAs('worker', config.DATABASE_URL), {
    max: 3,
    name: 'catalog loops',
    log,
  })
  // Only the owner may delete rows of every table.
  const owner = openDatabase<Tables>(config.DATABASE_URL, { max: 1, name: 'catalog erasures', log })
  measurePools(registry, { catalog: tenants, 'catalog loops': worker })
  outboxAge(registry, () => outbox.value?.ageSeconds() ?? 0)
  const metrics = brokerMetrics(registry)('services')
  const wakeOutbox = () => outbox.value?.wake()
  const shared = { across: worker.db, tenants, wakeOutbox, log, registry }
  const { app, runInTransaction } = wire({
    db: tenants,
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), 'catalog'),
    log,
    registry,
    tracking: trackingClient(() => broker.value, log),
    wakeOutbox,
    imports: {
      wake: () => imports.value?.files.wake(),
      purge: () => imports.value?.purge.wake(),
    },
  })
  const ready = async () => ({ database: await worker.isReachable() })
  serveReadiness(app, ready)

  const database = part('database', { start: () => [tenants, worker, owner], stop: closeAll })
  const broker = part('broker', {
    start: () =>
      connect({
        ...brokerLogin(config),
        name: 'catalog',
        logger: log,
        metrics,
        firstConnectMs: FOR_EVER,
      }),
    stop: (open) => open.drain(),
  })
  const outbox = part('outbox', {
    needs: broker,
    start: (open) => startOutboxRelay({ pool: worker.pool, publish: outboxPublish(open, log), log }),
    stop: (relay) => relay.stop(),
  })
  const responders = part('responders', {
    needs: broker,
    start: (open) => [
      consume(open, limitsConsumer(worker.db), {
        logger: log,
        graceMs: config.SHUTDOWN_GRACE_MS,
        metrics: consumerMetrics(registry)('catalog-limits'),
      }),
      serveTagClaims(open, runInTransaction, log),
      serveRepublish(open, worker.db, log),
      serveLookups(open, tenants, log),
      serveUsage(open, tenants, log),
      serveErasures(open, owner.db, log),
    ],
    stop: stopAll,
  })
  /** All replicas run them, and share the work. */
  const imports = part('imports', {
    start: () => ({
      files: startImportWorker({ ...shared, onBatch: batchMetrics(registry) }),
      purge: startImportPurge(shared),
      gauges: startImportGauges(shared),
      fold: startCountFolds(worker.db, shared),
      answers: startAnswerPurge(worker.db, shared),
    }),
    stop: (loops) => stopAll(Object.values(loops)),
  })
  const optional = () => ({ broker: broker.value?.isConnected() ?? false })
  return served(frame, app, { ready, optional }, (api) => [
    api,
    imports,
    responders,
    outbox,
    broker,
    database,
  ])
}

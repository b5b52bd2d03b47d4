import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { immediatePublish } from '@whereabouts/messaging/messages/publish'
import { measurePools } from '@whereabouts/db/connect/pool-metrics'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { brokerLogin, connect, FOR_EVER } from '@whereabouts/messaging/connect/connection'
import { watchBroker } from '@whereabouts/messaging/connect/broker-watch'
import { durablesOf } from '@whereabouts/messaging/connect/topology'
import {
  brokerMetrics,
  consumerMetrics,
  outboxAge,
  stateMetrics,
} from '@whereabouts/service-kit/observe/metrics'
import { principalPublicKeys, principalVerifier } from '@whereabouts/service-kit/http/principal'
import { closeAll, part, stopAll } from '@whereabouts/service-kit/service/part'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import type { loadConfig } from './config.ts'
import type { Tables } from './db.ts'
import { serveChats } from './chats/chats.responders.ts'
import { startDelivering } from './deliveries/delivering.ts'
import { startHealthLoop } from './deliveries/health.loop.ts'
import { startDeliveryPurge } from './delivery-log/purge.loop.ts'
import { startEventPurge } from './events/purge.loop.ts'
import { eventRecorder } from './events/recorder.consumer.ts'
import { startRecording } from './events/recording.ts'
import { sealGauge, startWebhookGauges } from './metrics.ts'
import { serveErasures } from './subscriptions/erasures.responder.ts'
import { startResealing } from './webhooks/reseal.loop.ts'
import { wire } from './app.ts'

const SERVICE = 'webhook-dispatcher'
/** Reserved in the shutdown phase for the last acknowledgements of the consumer. */
const LAST_ACKS_MS = 3_000

/** The parts of the dispatcher. While the broker is away, webhooks can be read and changed. */
export function dispatcher(frame: Frame<ReturnType<typeof loadConfig>>) {
  const { config, log, registry } = frame
  // A request sees one organization. Deliveries and loops see all (ADR 38).
  const tenants = openTenantDatabase<Tables>(config.DATABASE_URL, {
    max: config.DATABASE_POOL_SIZE,
    name: SERVICE,
    log,
  })
  const workerUrl = urlAs('worker', config.DATABASE_URL)
  const worker = openDatabase<Tables>(workerUrl, { max: 5, name: `${SERVICE} loops`, log }) // two hold locks
  // Only the owner may delete rows of every table.
  const owner = openDatabase<Tables>(config.DATABASE_URL, { max: 1, name: `${SERVICE} erasures`, log })
  const deliverer = openDatabase<Tables>(workerUrl, {
    max: 3, // the recorder, the look for work, the results
    name: `${SERVICE} deliveries`,
    plansOnce: true,
    log,
  })
  measurePools(registry, { [SERVICE]: tenants, loops: worker, deliveries: deliverer })
  const { WEBHOOK_SECRET_KEYS: secretKeys, ALLOW_PRIVATE_TARGETS: allowPrivateTargets } = config
  if (allowPrivateTargets)
    log.warn('private targets and plain http are allowed; use this in development only')
  const { app, agents, post, deliveries, delivering } = wire({
    tenants,
    across: worker.db,
    deliverer: deliverer.db,
    secretKeys,
    allowPrivateTargets,
    ports: config.WEBHOOK_PORTS,
    verify: principalVerifier(principalPublicKeys(config.PRINCIPAL_PUBLIC_KEY), SERVICE),
    log,
    registry,
  })

  const database = part('database', { start: () => [tenants, worker, deliverer, owner], stop: closeAll })
  const graceMs = Math.max(0, config.SHUTDOWN_GRACE_MS - LAST_ACKS_MS)
  const login = { ...brokerLogin(config), name: SERVICE, firstConnectMs: FOR_EVER }
  const metrics = brokerMetrics(registry)('services')
  const ofConsumers = consumerMetrics(registry)
  const broker = part('broker', {
    start: () => connect({ ...login, logger: log, metrics }),
    stop: (open) => open.drain(),
  })
  const shared = { across: worker.db, log, registry }
  const loops = part('loops', {
    start: () => [
      startResealing({ ...shared, secretKeys, onRound: sealGauge(registry) }),
      startWebhookGauges(shared),
      startDeliveryPurge(shared),
      startEventPurge({ ...shared, keepDays: config.EVENTS_KEEP_DAYS }),
      startHealthLoop(shared),
    ],
    stop: stopAll,
  })
  const erasures = part('erasures', {
    needs: broker,
    start: (open) => serveErasures(open, owner.db, log),
    stop: (responder) => responder.stop(),
  })
  const chats = part('chats', {
    needs: broker,
    start: (open) =>
      serveChats(
        open,
        { secretKeys, allowPrivateTargets, ports: config.WEBHOOK_PORTS, post, random: Math.random },
        log,
      ),
    stop: (responder) => responder.stop(),
  })
  const watch = part('watch', {
    needs: broker,
    start: (open) =>
      watchBroker(
        { APP: open },
        { registry, log, streams: ['EVENTS', 'KEYS'], durables: durablesOf(SERVICE) },
      ),
    stop: (watching) => watching.stop(),
  })
  const recorder = part('recorder', {
    needs: broker,
    start: (open) =>
      startRecording(
        open,
        eventRecorder(deliverer.db, (orgIds) => deliveries.wake(orgIds)),
        {
          pool: worker.pool,
          log,
          run: { logger: log, metrics: ofConsumers('webhook-dispatcher-events'), graceMs },
        },
      ),
    stop: (running) => running.stop(),
  })
  const outbox = part('outbox', {
    needs: broker,
    start: (open) => startOutboxRelay({ pool: worker.pool, publish: immediatePublish(open, log), log }),
    stop: (relay) => relay.stop(),
  })
  outboxAge(registry, () => outbox.value?.ageSeconds() ?? 0)
  const targets = part('targets', { start: () => agents, stop: (open) => open.destroy() })
  const sending = part('deliveries', {
    needs: broker,
    start: (open) =>
      startDelivering(open, deliveries, {
        subscriptions: delivering.subscriptions,
        log,
        stateMetrics: stateMetrics(registry)('KEYS'),
        graceMs,
      }),
    stop: (running) => running.stop(),
  })
  const health = {
    ready: async () => ({ database: await worker.isReachable() }),
    optional: () => ({
      broker: broker.value?.isConnected() ?? false,
      subscriptions: sending.value?.hasCaughtUp() ?? false,
    }),
  }
  return served(frame, app, health, (api) => [
    sending,
    recorder,
    api,
    chats,
    targets,
    erasures,
    watch,
    loops,
    outbox,
    broker,
    database,
  ])
}

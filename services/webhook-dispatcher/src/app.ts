import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { deliveryHandlers, type DeliveryDeps } from './delivery-log/deliveries.handlers.ts'
import { webhookHandlers, type WebhookDeps } from './webhooks/webhooks.handlers.ts'
import { randomUUID } from 'node:crypto'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Db, Tables } from './db.ts'
import { AdaptiveConcurrency } from './deliveries/adaptive-concurrency.ts'
import { attemptLogs } from './deliveries/attempt-logs.ts'
import { Deliveries, type DeliveriesDeps } from './deliveries/deliveries.ts'
import { Slots, type SlotSizes } from './deliveries/slots.ts'
import { eventFeed, type EventFeed } from './events/events.handlers.ts'
import { deliveryGauges, dispatcherMetrics } from './metrics.ts'
import { createPost } from './receivers/http-post.ts'
import { createTargetAgents } from './receivers/target-agents.ts'
import { createSubscriptions } from './subscriptions/subscriptions.ts'
import { OpenedSecrets } from './webhooks/opened-secrets.ts'
import { testSender } from './webhooks/test-event.ts'

/** For a whole request (D11, "Timeout"). */
const ATTEMPT_TIMEOUT_MS = 5_000
/** See ADR 22. */
const REQUESTS_AT_ONCE: SlotSizes = { well: 256, slow: 256 }

type WireDeps = Omit<AppDeps, 'db' | 'sendTest' | 'feed'> & {
  /** For requests: each sees one organization. */
  tenants: TenantDatabase<Tables>
  /** For loops: all organizations. */
  across: Db
  /** For deliveries: all organizations, and plans that are made once. The same as `across` if left out. */
  deliverer?: Db | undefined
  attemptTimeoutMs?: number | undefined
  heartbeatMs?: number | undefined
  requestsAtOnce?: SlotSizes | undefined
  leaseMs?: number | undefined
  /** The authority to trust instead of Node's own, as PEM; for tests. */
  ca?: string | undefined
}

/** All parts of the dispatcher, connected. Nothing has been started: no port, no consumer, no loop. */
export function wire({ tenants, across, ca, ...deps }: WireDeps) {
  const { secretKeys, allowPrivateTargets, ports, log, registry } = deps
  const agents = createTargetAgents({ allowPrivateTargets, ports, ...(ca !== undefined && { ca }) })
  const post = createPost(agents, deps.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS)
  const concurrency = new AdaptiveConcurrency()
  const slots = new Slots(deps.requestsAtOnce ?? REQUESTS_AT_ONCE, concurrency)
  const delivering: DeliveriesDeps = {
    across: deps.deliverer ?? across,
    worker: randomUUID(),
    subscriptions: createSubscriptions(),
    secrets: new OpenedSecrets(secretKeys),
    concurrency,
    slots,
    post,
    log,
    logs: attemptLogs(log),
    metrics: dispatcherMetrics(registry),
    now: Date.now,
    random: Math.random,
    leaseMs: deps.leaseMs,
  }
  const deliveries = new Deliveries(delivering)
  deliveryGauges(registry, () => deliveries.held(), slots)
  const feed = eventFeed({ ...deps, db: tenants, across })
  const app = buildApp({ ...deps, db: tenants, sendTest: testSender(post), feed })
  app.addHook('onClose', async () => delivering.logs.close())
  return { app, agents, post, deliveries, delivering }
}

type AppDeps = WebhookDeps &
  DeliveryDeps & {
    feed: EventFeed
    log: Logger
    registry: Registry
    verify: PrincipalVerifier
  }

/** The API of the service. It does not listen yet. */
function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer({ log: deps.log, registry: deps.registry })
  const handlers = { ...webhookHandlers(deps), ...deliveryHandlers(deps), ...deps.feed.handlers }
  serve(app, 'webhook-dispatcher', { verify: deps.verify, handlers })
  app.addHook('preClose', async () => deps.feed.stop()) // before the server waits for its requests
  return app
}

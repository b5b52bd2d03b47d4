import { randomBytes, randomUUID } from 'node:crypto'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { openTenantDatabase, type TenantDatabase } from '@whereabouts/db/tenant-database'
import { createLogger } from '@whereabouts/service-kit/logging'
import type { Db, Tables } from '../src/db.ts'
import { AdaptiveConcurrency } from '../src/lanes/adaptive-concurrency.ts'
import { Bulkheads } from '../src/lanes/bulkheads.ts'
import type { DispatcherMetrics } from '../src/metrics.ts'
import { Subscriptions } from '../src/subscriptions/subscriptions.ts'
import { OpenedSecrets } from '../src/webhooks/opened-secrets.ts'
import { sealSecret, type SecretKeys } from '../src/webhooks/secrets.ts'
import { insertWebhook, type WebhookRow } from '../src/webhooks/webhooks.queries.ts'
import { assetMovedPayload } from '../src/receivers/asset-moved-body.ts'
import type { AttemptDeps, Job } from '../src/attempts/attempts.ts'
import type { DeliveryStore } from '../src/attempts/delivery-store.ts'
import { createPost } from '../src/receivers/http-post.ts'
import type { Resolver } from '../src/receivers/public-lookup.ts'
import { createTargetAgents } from '../src/receivers/target-agents.ts'

export const SECRET = 'whsec_test'
export const secretKeys: SecretKeys = [{ id: 'k1', key: randomBytes(32) }]

/** What was counted, as `delivered`, `dropped: disabled`, `attempt failed` and so on, in order. */
type Counted = string[]

/** As requests and deliveries reach it. */
export const tenantsOf = ({ url }: { url: string }): TenantDatabase<Tables> =>
  openTenantDatabase<Tables>(url, { max: 10, name: 'test' })

/** What keys answers about every organization. */
const subscribedForever = async (orgId: number) => ({
  org_id: orgId,
  revision: 1,
  name: 'Org',
  subscription_ends_at: null,
})

type Options = Partial<AttemptDeps> & {
  store: DeliveryStore
  concurrency?: AdaptiveConcurrency
  resolver?: Resolver
  ca?: string
  timeoutMs?: number
  allowPrivateTargets?: boolean
}

/** What an attempt needs, with waits that do not wait. `waits` lists how long they would have been. */
export function attemptDeps({
  ca,
  resolver,
  timeoutMs = 5_000,
  allowPrivateTargets = true,
  concurrency = new AdaptiveConcurrency(),
  ...given
}: Options) {
  const counted: Counted = []
  const waits: number[] = []
  const metrics: DispatcherMetrics = {
    attempted: (outcome) => counted.push(`attempt ${outcome}`),
    ended: (outcome) => counted.push(outcome),
    arrived: () => undefined,
    dropped: (reason) => counted.push(`dropped: ${reason}`),
  }
  const agents = createTargetAgents({
    allowPrivateTargets,
    ...(ca !== undefined && { ca }),
    ...(resolver && { resolver }),
  })
  const deps: AttemptDeps = {
    subscriptions: new Subscriptions(subscribedForever, createLogger('test', 'silent')),
    secrets: new OpenedSecrets(secretKeys),
    bulkheads: new Bulkheads({ well: 16, slow: 16 }, concurrency),
    post: createPost(agents, timeoutMs),
    log: createLogger('test', 'silent'),
    metrics,
    now: Date.now,
    random: () => 0.5,
    wait: (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
    ...given,
  }
  return { deps, counted, waits, agents, concurrency }
}

export const movedEvent = (orgId: number, deliveryId: string = randomUUID()): AssetMoved => ({
  delivery_id: deliveryId,
  org_id: orgId,
  occurred_at: '2026-11-21T10:00:00.500Z',
  kind: 'scan',
  asset: { id: 11, external_key: 'ASSET-0011', name: 'Forklift' },
  from_location: null,
  to_location: { id: 22, name: 'Dock' },
})

export function movedJob(orgId: number, changes: Partial<Job> = {}): Job {
  const payload = assetMovedPayload(movedEvent(orgId))
  if (!payload) throw new Error('the fixture has a bad timestamp')
  return { orgId, payload, receivedAt: Date.now(), deliveryCount: 1, attempts: 0, heldMs: 0, ...changes }
}

export const addWebhook = (db: Db, orgId: number, url: string, enabled = true): Promise<WebhookRow> =>
  insertWebhook(db, orgId, {
    url,
    enabled,
    ...sealSecret(secretKeys, orgId, SECRET),
    secret_last_four: 'test',
  })

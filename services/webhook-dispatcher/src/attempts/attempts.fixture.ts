import { randomBytes, randomUUID } from 'node:crypto'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { createLogger } from '@whereabouts/service-kit/logging'
import type { Db } from '../db.ts'
import { Slots } from '../lanes/slots.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { sealSecret, type SecretKeys } from '../webhooks/secrets.ts'
import { insertWebhook, type WebhookRow } from '../webhooks/webhooks.queries.ts'
import { createTargetAgent } from './address-guard.ts'
import { assetMovedPayload } from './asset-moved-body.ts'
import type { AttemptDeps, Job } from './attempts.ts'
import { createPost } from './http-post.ts'

export const SECRET = 'whsec_test'
export const secretKeys: SecretKeys = [{ id: 'k1', key: randomBytes(32) }]

/** What was counted, as `delivered`, `dropped: disabled`, `attempt failed` and so on, in order. */
type Counted = string[]

type Options = Partial<AttemptDeps> & {
  db: Db
  ca?: string
  timeoutMs?: number
  allowPrivateTargets?: boolean
}

/** What an attempt needs, with waits that do not wait. `waits` lists how long they would have been. */
export function attemptDeps({ ca, timeoutMs = 5_000, allowPrivateTargets = true, ...given }: Options) {
  const counted: Counted = []
  const waits: number[] = []
  const metrics: DispatcherMetrics = {
    attempted: (outcome) => counted.push(`attempt ${outcome}`),
    ended: (outcome) => counted.push(outcome),
    dropped: (reason) => counted.push(`dropped: ${reason}`),
  }
  const agent = createTargetAgent({ allowPrivateTargets, ...(ca !== undefined && { ca }) })
  const deps: AttemptDeps = {
    subscriptions: new Subscriptions(),
    secretKeys,
    slots: new Slots(16),
    post: createPost(agent, timeoutMs),
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
  return { deps, counted, waits, agent }
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
  return { orgId, payload, receivedAt: Date.now(), deliveryCount: 1, attempts: 0, ...changes }
}

export const addWebhook = (db: Db, orgId: number, url: string, enabled = true): Promise<WebhookRow> =>
  insertWebhook(db, orgId, {
    url,
    enabled,
    ...sealSecret(secretKeys, orgId, SECRET),
    secret_last_four: 'test',
  })

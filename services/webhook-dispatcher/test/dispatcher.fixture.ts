import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { openTenantDatabase, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import { testCallers } from '@whereabouts/testing/caller'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { attemptLogs } from '../src/deliveries/attempts/attempt-logs.ts'
import { deliver } from '../src/deliveries/attempts/attempts.ts'
import type { AttemptDeps, Job, Signals } from '../src/deliveries/attempts/job.ts'
import type { Db, Tables } from '../src/db.ts'
import type { BulkheadSizes } from '../src/deliveries/lanes/bulkheads.ts'
import { LANE_LIMITS, type LaneLimits } from '../src/deliveries/lanes/lanes.ts'
import type { DispatcherMetrics } from '../src/metrics.ts'
import { payloadOf } from '../src/receivers/payload.ts'
import { sealSecret, type SecretKeys } from '../src/webhooks/secrets.ts'
import { insertWebhook, type WebhookRow } from '../src/webhooks/webhooks.queries.ts'
import { wire } from '../src/app.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
export const SECRET = 'whsec_test'
export const secretKeys: SecretKeys = [{ id: 'k1', key: randomBytes(32) }]
const callers = testCallers('webhook-dispatcher')
const silent = createLogger('test', 'silent')

/** A state of KEYS. */
export const orgState = (org_id: number, subscription_ends_at: string | null, revision = 1) => ({
  subject: `keys.org.${org_id}`,
  payload: { org_id, revision, name: 'Org', subscription_ends_at },
})

export type DispatcherOptions = {
  /** False: `run` delivers for an organization that the dispatcher does not know. Otherwise its subscription has no end. */
  isOrgKnown?: boolean
  secretKeys?: SecretKeys
  allowPrivateTargets?: boolean
  /** Whether the certificate of the receiver is trusted. */
  isReceiverTrusted?: boolean
  attemptTimeoutMs?: number
  laneLimits?: Partial<LaneLimits>
  requestsAtOnce?: BulkheadSizes
  wait?: AttemptDeps['wait']
  /** Of streams of events. */
  heartbeatMs?: number
  log?: AttemptDeps['log']
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const never = new AbortController().signal

type Surroundings = {
  database: ServiceDatabase<Tables>
  tenants: TenantDatabase<Tables>
  receiver: Receiver
}

/** A dispatcher, wired as in production, without a broker. Its waits end at once. */
function createDispatcher({ database, tenants, receiver }: Surroundings, options: DispatcherOptions) {
  const registry = createRegistry('test')
  const counted: string[] = []
  const waits: number[] = []
  const metrics: DispatcherMetrics = {
    attempted: (outcome) => counted.push(`attempt ${outcome}`),
    ended: (outcome) => counted.push(outcome),
    deliveredAfter: () => undefined,
    dropped: (reason) => counted.push(`dropped: ${reason}`),
  }
  const { app, agents, lanes, attempts } = wire({
    tenants,
    across: database.worker.db,
    secretKeys: options.secretKeys ?? secretKeys,
    allowPrivateTargets: options.allowPrivateTargets ?? true,
    attemptTimeoutMs: options.attemptTimeoutMs,
    heartbeatMs: options.heartbeatMs,
    laneLimits: { ...LANE_LIMITS, ...options.laneLimits },
    requestsAtOnce: options.requestsAtOnce,
    ca: options.isReceiverTrusted === false ? undefined : receiver.ca,
    verify: callers.verify,
    log: silent,
    registry,
  })
  const request = async (orgId: number, method: Method, path: string, body?: unknown) => {
    const headers = await callers.headersFor({ orgId })
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    return app.inject({ method, url: `/api/v1${path}`, headers, ...payload })
  }
  const wait = (ms: number, signal: AbortSignal) => {
    waits.push(ms)
    return options.wait?.(ms, signal) ?? Promise.resolve()
  }
  const log = options.log ?? silent
  const deps: AttemptDeps = { ...attempts, log, logs: attemptLogs(log), metrics, random: () => 0.5, wait }
  return {
    deps,
    lanes,
    app,
    /** The counted events in order, such as `delivered`, `dropped: disabled` and `attempt failed`. */
    counted,
    /** How long each wait would have been, in milliseconds. */
    waits,
    run: (job: Job, signals: Signals = { stopping: never, abort: never }) => {
      const { subject, payload } = orgState(job.orgId, null)
      if (options.isOrgKnown ?? true) deps.subscriptions.apply(subject, payload)
      return deliver(deps, job, () => {}, signals)
    },
    /** Calls the API as an administrator of the organization, below `/webhooks`. */
    call: (orgId: number, method: Method, path = '', body?: unknown) =>
      request(orgId, method, `/webhooks${path}`, body),
    request,
    headersFor: (orgId: number) => callers.headersFor({ orgId }),
    registry,
    async stop() {
      await app.close()
      await agents.destroy()
    },
  }
}

export type TestDispatcher = ReturnType<typeof createDispatcher>

type Fixtures = Surroundings & {
  /** The receiver of the file, which `receiver` resets for each test. */
  fileReceiver: Receiver
  /** An organization that no other test uses. */
  newOrg: () => number
  orgId: number
  /** Another dispatcher on the same database, which stops with the test. */
  dispatcher: (options?: DispatcherOptions) => TestDispatcher
}

/** A database and a receiver per test file; a broker per test that uses `bus`. */
export const test = busTest.extend<Fixtures>({
  database: [
    async ({}, use) => {
      const database = await createServiceDatabase<Tables>('webhooks', MIGRATIONS)
      await use(database)
      await database.drop()
    },
    { scope: 'file' },
  ],
  tenants: [
    async ({ database }, use) => {
      const tenants = openTenantDatabase<Tables>(database.url, { max: 10, name: 'test' })
      await use(tenants)
      await tenants.close()
    },
    { scope: 'file' },
  ],
  fileReceiver: [
    async ({}, use) => {
      const receiver = await startReceiver()
      await use(receiver)
      await receiver.close()
    },
    { scope: 'file' },
  ],
  receiver: async ({ fileReceiver }, use) => {
    fileReceiver.received.length = 0
    fileReceiver.respondWith((_, response) => void response.writeHead(204).end())
    await use(fileReceiver)
  },
  newOrg: [
    async ({}, use) => {
      let last = 1_000
      await use(() => (last += 1))
    },
    { scope: 'file' },
  ],
  orgId: async ({ newOrg }, use) => use(newOrg()),
  dispatcher: async ({ database, tenants, receiver }, use) => {
    const created: TestDispatcher[] = []
    await use((options = {}) => {
      const dispatcher = createDispatcher({ database, tenants, receiver }, options)
      created.push(dispatcher)
      return dispatcher
    })
    await Promise.all(created.map((dispatcher) => dispatcher.stop()))
  },
})

/** The ids of the deliveries that the receiver got, oldest first. */
export const receivedIds = ({ received }: Receiver) =>
  received.map(({ headers }) => headers['x-service-delivery'])

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
  const payload = payloadOf('asset.moved', movedEvent(orgId))
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

/** A delivery of the webhook that waits, and the hour in which one failed. */
export async function addDelivery(db: Db, orgId: number, webhookId: number, seq = 1): Promise<void> {
  const at = '2026-11-21T10:00:00.000Z'
  const of = { org_id: orgId, webhook_id: webhookId }
  const state = { state: 'waiting' as const, attempts: 1, last_at: at, next_attempt_at: at }
  await db
    .insertInto('delivery')
    .values({ ...of, seq, delivery_id: randomUUID(), type: 'asset.moved', occurred_at: at, ...state })
    .execute()
  await db
    .insertInto('delivery_hour')
    .values({ ...of, hour: at, delivered: 0, failed: 1 })
    .onConflict((on) => on.doNothing())
    .execute()
}

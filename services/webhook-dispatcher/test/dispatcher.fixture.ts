import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { openTenantDatabase, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import { testCallers } from '@whereabouts/testing/caller'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { attemptLogs } from '../src/deliveries/attempt-logs.ts'
import { Deliveries, type DeliveriesDeps } from '../src/deliveries/deliveries.ts'
import type { SlotSizes } from '../src/deliveries/slots.ts'
import type { Db, Filter, Retry, Tables } from '../src/db.ts'
import { recordEvents } from '../src/events/events.queries.ts'
import type { DispatcherMetrics } from '../src/metrics.ts'
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
  secretKeys?: SecretKeys
  allowPrivateTargets?: boolean
  /** Whether the certificate of the receiver is trusted. */
  isReceiverTrusted?: boolean
  attemptTimeoutMs?: number
  requestsAtOnce?: SlotSizes
  leaseMs?: number
  /** Of streams of events. */
  heartbeatMs?: number
  log?: DeliveriesDeps['log']
  /** What else the deliveries use instead. */
  deps?: Partial<DeliveriesDeps>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Surroundings = {
  database: ServiceDatabase<Tables>
  tenants: TenantDatabase<Tables>
  receiver: Receiver
}

/** A dispatcher, wired as in production, without a broker: `record` is what comes from it. */
function createDispatcher({ database, tenants, receiver }: Surroundings, options: DispatcherOptions) {
  const registry = createRegistry('test')
  const counted: string[] = []
  const metrics: DispatcherMetrics = {
    attempted: (outcome) => counted.push(`attempt ${outcome}`),
    ended: (outcome) => counted.push(outcome),
    deliveredAfter: () => undefined,
    dropped: (reason) => counted.push(`dropped: ${reason}`),
  }
  const { app, agents, delivering } = wire({
    tenants,
    across: database.worker.db,
    secretKeys: options.secretKeys ?? secretKeys,
    allowPrivateTargets: options.allowPrivateTargets ?? true,
    attemptTimeoutMs: options.attemptTimeoutMs,
    heartbeatMs: options.heartbeatMs,
    requestsAtOnce: options.requestsAtOnce,
    leaseMs: options.leaseMs,
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
  const log = options.log ?? silent
  const deps = { ...delivering, log, logs: attemptLogs(log), metrics, random: () => 0.5, ...options.deps }
  const deliveries = new Deliveries(deps)
  let isStarted = false
  const stopDeliveries = async (graceMs = 5_000) => {
    if (isStarted) await deliveries.stop(graceMs)
    isStarted = false
  }
  return {
    deps,
    app,
    /** The counted events in order, such as `delivered`, `dropped: disabled` and `attempt failed`. */
    counted,
    /** Makes known that the subscription of these organizations has no end. */
    know: (...orgIds: number[]) => {
      for (const orgId of orgIds) {
        const { subject, payload } = orgState(orgId, null)
        deps.subscriptions.apply(subject, payload)
      }
    },
    /** Begins to deliver for these organizations. */
    deliverFor(...orgIds: number[]) {
      this.know(...orgIds)
      isStarted = true
      deliveries.start()
      return this
    },
    wake: (...orgIds: number[]) => deliveries.wake(orgIds),
    stopDeliveries,
    /** Calls the API as an administrator of the organization, below `/webhooks`. */
    call: (orgId: number, method: Method, path = '', body?: unknown) =>
      request(orgId, method, `/webhooks${path}`, body),
    request,
    headersFor: (orgId: number) => callers.headersFor({ orgId }),
    registry,
    async stop() {
      await stopDeliveries()
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
  received.map(({ headers }) => headers['x-service-delivery'] ?? '')

export const movedEvent = (orgId: number, deliveryId: string = randomUUID()): AssetMoved => ({
  delivery_id: deliveryId,
  org_id: orgId,
  occurred_at: '2026-11-21T10:00:00.500Z',
  kind: 'scan',
  asset: { id: 11, external_key: 'ASSET-0011', name: 'Forklift' },
  from_location: null,
  to_location: { id: 22, name: 'Dock' },
})

/** Records moves of the organization, as from EVENTS. Returns their ids in the order of the feed. */
export async function recordMoves(db: Db, orgId: number, count = 1, assetId = 11): Promise<string[]> {
  const events = Array.from({ length: count }, () => movedEvent(orgId)).map((event) => ({
    orgId,
    id: event.delivery_id,
    type: 'asset.moved',
    occurredAt: event.occurred_at,
    data: JSON.stringify({
      asset: { ...event.asset, id: assetId },
      from_location: null,
      to_location: event.to_location,
    }),
  }))
  await recordEvents(db, events)
  return events.map(({ id }) => id)
}

/** What has no attempt before a later moment is due now. */
export const hurry = (db: Db, orgId: number) =>
  sql`update delivery set next_attempt_at = clock_timestamp()
    where org_id = ${orgId} and state = 'waiting' and next_attempt_at < 'infinity'`.execute(db)

/** The rows of deliveries of an organization, in the order of the feed. */
export const deliveryRows = (db: Db, orgId: number) =>
  db.selectFrom('delivery').selectAll().where('org_id', '=', orgId).orderBy('seq').execute()

export const addWebhook = (db: Db, orgId: number, url: string, enabled = true): Promise<WebhookRow> =>
  insertWebhook(db, orgId, {
    url,
    enabled,
    ...sealSecret(secretKeys, orgId, SECRET),
    secret_last_four: 'test',
  })

/** The row of the contract's webhook, with its sealed secrets. */
export const webhookOf = (db: Db, orgId: number) =>
  db
    .selectFrom('webhook')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('is_primary', '=', true)
    .executeTakeFirst()

type EndpointFields = { event_types?: string[]; retry?: Retry; filter?: Filter }

/** A further endpoint (D13.9). */
export async function addEndpoint(
  db: Db,
  orgId: number,
  url: string,
  { filter, ...fields }: EndpointFields = {},
): Promise<number> {
  const { id } = await db
    .insertInto('webhook')
    .values({
      org_id: orgId,
      url,
      enabled: true,
      is_primary: false,
      ...sealSecret(secretKeys, orgId, SECRET),
      secret_last_four: 'test',
      ...fields,
      ...(filter && { filter: JSON.stringify(filter) as unknown as Filter }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

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

import { webhookEventType } from '@whereabouts/contracts/messages/webhook-events'
import type { AssetCreate, AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { MERGE_PATCH_MEDIA_TYPE } from '@whereabouts/contracts/rules/echo'
import type { LocationCreate, LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { JSON_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { API_PREFIX, LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { openTenantDatabase, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { testCallers } from '@whereabouts/testing/caller'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { test as base } from 'vitest'
import type { Tables } from '../src/db.ts'
import type { RunInTransaction } from '../src/changes/transactions/transactions.ts'
import { wire } from '../src/app.ts'
import { TrackingStandIn } from './tracking.fixture.ts'

type As = {
  org?: number
  user?: number
  /** A key with these scopes, instead of a session. */
  scopes?: string[]
  mediaType?: string
  accept?: string
  vocabulary?: 'legacy'
  headers?: Record<string, string>
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The service on a database of this file. Each test has its own organization, `orgId`. */
export type Catalog = {
  orgId: number
  /** Connected as the owner of the schema, who sees all organizations. */
  database: ServiceDatabase<Tables>
  /** The database as requests see it. */
  tenants: TenantDatabase<Tables>
  runInTransaction: RunInTransaction
  tracking: TrackingStandIn
  call(method: Method, path: string, body?: unknown, as?: As): Promise<LightMyRequestResponse>
  get(path: string, as?: As): Promise<LightMyRequestResponse>
  post(path: string, body: unknown, as?: As): Promise<LightMyRequestResponse>
  patch(path: string, body: unknown, as?: As): Promise<LightMyRequestResponse>
  delete(path: string, as?: As): Promise<LightMyRequestResponse>
  /** Builders have defaults and throw unless the reply is 201. */
  asset(fields?: Partial<AssetCreate>, as?: As): Promise<AssetView>
  location(fields?: Partial<LocationCreate>, as?: As): Promise<LocationView>
  /** `owner` is a path such as `/assets/1`. */
  tag(owner: string, tag: { tag_type: string; value: string }, as?: As): Promise<TagView>
  /** The number of sessions of this file's database that wait for a lock. */
  waitingForLocks(): Promise<number>
  /** The messages of this organization since the last call, in order, without its events. */
  takeOutbox(): Promise<Queued[]>
  /** The events of an organization since the last call, in order; of this one by default. */
  takeEvents(org?: number): Promise<Event[]>
}

type Queued = { subject: string; payload: Record<string, unknown>; headers: Record<string, string> }
type Event = { type: string; data: Record<string, unknown>; occurred_at: string }

type Service = {
  app: FastifyInstance
  database: ServiceDatabase<Tables>
  tenants: TenantDatabase<Tables>
  runInTransaction: RunInTransaction
  tracking: TrackingStandIn
  callers: ReturnType<typeof testCallers>
}

let lastOrgId = 0

export const test = base.extend<{
  logLevel: string
  service: Service
  catalog: Catalog
  /** The same organization on a second instance of the service. */
  replica: Catalog
  otherOrg: number
  /** A broker with the streams of the product. */
  bus: Bus
}>({
  logLevel: ['error', { scope: 'file' }],
  service: [
    async ({ logLevel }, use) => {
      const database = await createServiceDatabase<Tables>(
        'catalog',
        new URL('../migrations', import.meta.url).pathname,
      )
      const service = startService(database, logLevel)
      await use(service)
      await stopService(service)
      await database.drop()
    },
    { scope: 'file' },
  ],
  catalog: async ({ service }, use) => {
    lastOrgId += 1
    await use(catalogOf(service, lastOrgId))
  },
  replica: async ({ service, catalog, logLevel }, use) => {
    const other = startService(service.database, logLevel)
    await use(catalogOf(other, catalog.orgId))
    await stopService(other)
  },
  otherOrg: async ({ catalog }, use) => {
    await use(catalog.orgId + 1_000_000)
  },
  bus: [
    async ({}, use) => {
      const bus = await startBus()
      await use(bus)
      await bus.stop()
    },
    { scope: 'file' },
  ],
})

function startService(database: ServiceDatabase<Tables>, logLevel: string): Service {
  const tenants = openTenantDatabase<Tables>(database.url, { max: 10, name: 'catalog' })
  const callers = testCallers()
  const tracking = new TrackingStandIn()
  const { app, runInTransaction } = wire({
    db: tenants,
    tracking,
    verify: callers.verify,
    log: createLogger('catalog', logLevel),
    registry: createRegistry('catalog'),
    wakeOutbox: () => undefined,
  })
  return { app, database, tenants, runInTransaction, tracking, callers }
}

async function stopService({ app, tenants }: Service): Promise<void> {
  await app.close()
  await tenants.close()
}

function catalogOf(service: Service, orgId: number): Catalog {
  const { app, database, tenants, runInTransaction, tracking, callers } = service
  const call: Catalog['call'] = async (method, path, body, as = {}) =>
    app.inject({
      method,
      url: `${as.vocabulary === 'legacy' ? LEGACY_PREFIX : API_PREFIX}${path}`,
      headers: {
        ...(await callers.headersFor({ orgId: as.org ?? orgId, ...(as.user && { userId: as.user }), ...(as.scopes && { kind: 'key', scopes: as.scopes }) })), // oxfmt-ignore
        ...(as.accept && { accept: as.accept }),
        ...as.headers,
        'content-type': as.mediaType ?? (method === 'PATCH' ? MERGE_PATCH_MEDIA_TYPE : JSON_MEDIA_TYPE),
      },
      ...(body !== undefined && { payload: isRaw(body) ? body : JSON.stringify(body) }),
    })
  const created = async <T>(path: string, body: unknown, as?: As): Promise<T> => {
    const res = await call('POST', path, body, as)
    if (res.statusCode !== 201) throw new Error(`POST ${path} answered ${res.statusCode}: ${res.body}`)
    return res.json<{ data: T }>().data
  }
  return {
    orgId,
    database,
    tenants,
    runInTransaction,
    tracking,
    call,
    get: (path, as) => call('GET', path, undefined, as),
    post: (path, body, as) => call('POST', path, body, as),
    patch: (path, body, as) => call('PATCH', path, body, as),
    delete: (path, as) => call('DELETE', path, undefined, as),
    asset: (fields, as) => created('/assets', { name: 'Forklift', ...fields }, as),
    location: (fields, as) => created('/locations', { name: 'Dock', ...fields }, as),
    tag: (owner, tag, as) => created(`${owner}/tags`, tag, as),
    waitingForLocks: () => waitingForLocks(database),
    takeOutbox: () => takeOutbox(database, orgId, false),
    takeEvents: async (org = orgId) => takeEvents(database, org),
  }
}

const isRaw = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body)

async function takeOutbox(
  { pool }: ServiceDatabase<Tables>,
  orgId: number,
  events: boolean,
): Promise<Queued[]> {
  const { rows } = await pool.query<Queued & { id: number }>(
    `delete from outbox where (payload ->> 'org_id')::bigint = $1 and (subject like 'events.%') = $2
       and subject not like 'audit.%'
     returning id, subject, payload, headers`,
    [orgId, events],
  )
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map(({ subject, payload, headers }) => ({ subject, payload, headers }))
}

async function takeEvents(database: ServiceDatabase<Tables>, org: number): Promise<Event[]> {
  return (await takeOutbox(database, org, true)).map(({ subject, payload }) => ({
    type: webhookEventType(subject) ?? '',
    data: payload['data'] as Event['data'],
    occurred_at: String(payload['occurred_at']),
  }))
}

async function waitingForLocks({ pool }: ServiceDatabase<Tables>): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `select count(*) as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.waiting ?? 0
}

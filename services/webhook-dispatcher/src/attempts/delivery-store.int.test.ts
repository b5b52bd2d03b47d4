import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tables } from '../db.ts'
import { addWebhook, tenantsOf } from '../../test/attempts.fixture.ts'
import {
  listAttempts,
  LOG_SIZE,
  recordAttempts,
  type AttemptRecord,
} from '../delivery-log/delivery-log.queries.ts'
import { deliveryStore, type DeliveryStore } from './delivery-store.ts'

const [ONE, OTHER, NONE] = [1, 2, 3]
const page = { limit: 200, offset: 0 }

let database: ServiceDatabase<Tables>
let tenants: TenantDatabase<Tables>
let store: DeliveryStore
const webhooks = new Map<number, number>()

beforeAll(async () => {
  database = await createServiceDatabase<Tables>('webhooks', join(import.meta.dirname, '../../migrations'))
  tenants = tenantsOf(database)
  store = deliveryStore(tenants, database.worker.db)
  for (const org of [ONE, OTHER])
    webhooks.set(org, (await addWebhook(database.db, org, `https://receiver-${org}.example/`)).id)
})
afterAll(async () => {
  await tenants.close()
  await database.drop()
})

const attempt = (orgId: number, latency_ms: number): AttemptRecord => ({
  webhook_id: webhooks.get(orgId) ?? 0,
  delivery_id: randomUUID(),
  attempt: 1,
  attempted_at: '2026-11-21T10:00:00.000Z',
  outcome: 'delivered',
  status_code: 204,
  latency_ms,
  error: null,
  test: false,
})

const logged = async (orgId: number) =>
  (await listAttempts(database.db, orgId, webhooks.get(orgId) ?? 0, page)).map(({ latency_ms }) => latency_ms)

test('looks of one moment go to the receivers of their own organizations', async () => {
  const targets = await Promise.all([ONE, OTHER, NONE, ONE].map((orgId) => store.findTarget(orgId)))
  expect(targets.map((target) => target?.url)).toEqual([
    'https://receiver-1.example/',
    'https://receiver-2.example/',
    undefined,
    'https://receiver-1.example/',
  ])
})

test('attempts of one moment are logged under their own organizations, in their order', async () => {
  await Promise.all([
    store.recordAttempt(ONE, attempt(ONE, 1)),
    store.recordAttempt(OTHER, attempt(OTHER, 100)),
    store.recordAttempt(ONE, attempt(ONE, 2)),
    store.recordAttempt(ONE, attempt(ONE, 3)),
  ])
  expect(await logged(ONE)).toEqual([3, 2, 1])
  expect(await logged(OTHER)).toEqual([100])
})

test('a statement as large as the ring replaces all of it, each slot once', async () => {
  const many = Array.from({ length: LOG_SIZE }, (_, n) => ({ ...attempt(ONE, 1_000 + n), org_id: ONE }))
  await recordAttempts(database.db, many)
  const newest = await logged(ONE)
  expect(newest).toEqual(Array.from({ length: page.limit }, (_, n) => 1_000 + LOG_SIZE - 1 - n))
  const { rows } = await database.pool.query<{ n: number }>(
    'select count(*)::int as n from delivery_attempt where org_id = $1',
    [ONE],
  )
  expect(rows[0]?.n).toBe(LOG_SIZE)
  expect(await logged(OTHER)).toEqual([100])
})

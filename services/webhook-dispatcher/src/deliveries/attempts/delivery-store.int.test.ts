import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { addWebhook, test as dispatcherTest } from '../../../test/dispatcher.fixture.ts'
import {
  listAttempts,
  LOG_SIZE,
  recordAttempts,
  type AttemptRecord,
} from '../../delivery-log/delivery-log.queries.ts'
import { deliveryStore, type DeliveryStore } from './delivery-store.ts'

const [ONE, OTHER, NONE] = [1, 2, 3]
const page = { limit: 200, offset: 0 }

const test = dispatcherTest.extend<{
  store: DeliveryStore
  webhookIds: ReadonlyMap<number, number>
  attempt: (orgId: number, latency_ms: number) => AttemptRecord
  /** The latencies of the organization's attempts, newest first. */
  logged: (orgId: number) => Promise<number[]>
}>({
  store: async ({ database, tenants }, use) => use(deliveryStore(tenants, database.worker.db)),
  webhookIds: [
    async ({ database }, use) => {
      const add = async (org: number) =>
        [org, (await addWebhook(database.db, org, `https://receiver-${org}.example/`)).id] as const
      await use(new Map([await add(ONE), await add(OTHER)]))
    },
    { scope: 'file', auto: true },
  ],
  attempt: async ({ webhookIds }, use) =>
    use((orgId, latency_ms) => attemptOf(webhookIds.get(orgId) ?? 0, latency_ms)),
  logged: async ({ database, webhookIds }, use) =>
    use(async (orgId) => {
      const rows = await listAttempts(database.db, orgId, webhookIds.get(orgId) ?? 0, page)
      return rows.map(({ latency_ms }) => latency_ms)
    }),
})

const attemptOf = (webhook_id: number, latency_ms: number): AttemptRecord => ({
  webhook_id,
  delivery_id: randomUUID(),
  attempt: 1,
  attempted_at: '2026-11-21T10:00:00.000Z',
  outcome: 'delivered',
  status_code: 204,
  latency_ms,
  error: null,
  test: false,
})

test('concurrent look-ups find the receivers of their own organizations', async ({ store }) => {
  const targets = await Promise.all([ONE, OTHER, NONE, ONE].map((orgId) => store.findTarget(orgId)))
  expect(targets.map((target) => target?.url)).toEqual([
    'https://receiver-1.example/',
    'https://receiver-2.example/',
    undefined,
    'https://receiver-1.example/',
  ])
})

test('concurrent attempts are logged under their own organizations, in their order', async ({
  store,
  attempt,
  logged,
}) => {
  await Promise.all([
    store.recordAttempt(ONE, attempt(ONE, 1)),
    store.recordAttempt(OTHER, attempt(OTHER, 100)),
    store.recordAttempt(ONE, attempt(ONE, 2)),
    store.recordAttempt(ONE, attempt(ONE, 3)),
  ])
  expect(await logged(ONE)).toEqual([3, 2, 1])
  expect(await logged(OTHER)).toEqual([100])
})

test('a statement of 500 attempts replaces the whole log, each slot once', async ({
  database,
  attempt,
  logged,
}) => {
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

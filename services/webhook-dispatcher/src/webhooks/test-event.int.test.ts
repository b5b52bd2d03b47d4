import { expect } from 'vitest'
import {
  addWebhook,
  SECRET,
  test as dispatcherTest,
  type DispatcherOptions,
  type TestDispatcher,
} from '../../test/dispatcher.fixture.ts'
import { signature, standardSignature } from '../receivers/signature.ts'
import { testSender } from './test-event.ts'

const test = dispatcherTest.extend<{
  /** The API of another replica. `test` sends a test event, `call` sends any request. */
  replica: (options?: DispatcherOptions) => {
    test: (id: number, org?: number) => ReturnType<TestDispatcher['call']>
    call: (method: 'GET' | 'POST', path: string) => ReturnType<TestDispatcher['call']>
  }
}>({
  replica: async ({ dispatcher, orgId }, use) =>
    use((options) => {
      const { call } = dispatcher(options)
      return {
        test: (id, org = orgId) => call(org, 'POST', `/${id}/test`),
        call: (method, path) => call(orgId, method, path),
      }
    }),
})

test('D11.5 a test event is one signed attempt, and the reply has its status', async ({
  database,
  receiver,
  orgId,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  receiver.respondWith((_, response) => void response.writeHead(202).end('taken'))
  const reply = await replica().test(id)
  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({ data: { status_code: 202, error: null } })
  expect(receiver.received).toHaveLength(1)
  const [{ headers, body } = { headers: {} as Record<string, string>, body: Buffer.alloc(0) }] =
    receiver.received
  const event = JSON.parse(body.toString())
  const timestamp = String(Math.floor(Date.parse(event.occurred_at) / 1000))
  expect(event).toEqual({
    event: 'asset.moved',
    delivery_id: headers['x-service-delivery'],
    occurred_at: expect.any(String),
    data: {
      asset: { id: expect.any(Number), external_key: 'TEST-ASSET', name: 'Test Asset' },
      from_location: { id: expect.any(Number), name: 'Test Origin' },
      to_location: { id: expect.any(Number), name: 'Test Destination' },
    },
  })
  expect(headers).toMatchObject({
    'user-agent': 'Service-Webhooks/1',
    'x-service-event': 'asset.moved',
    'x-service-timestamp': timestamp,
    'x-service-signature': signature(SECRET, timestamp, body),
    'webhook-id': event.delivery_id,
  })
  const message = { id: event.delivery_id, timestamp: String(headers['webhook-timestamp']), body }
  expect(headers['webhook-signature']).toBe(standardSignature([SECRET], message))
})

test('D11.5 a test event is sent while deliveries are off, and each has a new delivery_id', async ({
  database,
  receiver,
  orgId,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url, false)
  const { test: send } = replica()
  await send(id)
  await send(id)
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2)
})

test.for([301, 404, 500])(
  'D11.5 if the receiver answers %i, the reply is 200 with the reason, after one attempt',
  async (status, { database, receiver, orgId, replica }) => {
    const { id } = await addWebhook(database.db, orgId, receiver.url)
    receiver.respondWith((_, response) => void response.writeHead(status, { location: receiver.url }).end())
    const reply = await replica().test(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json().data).toMatchObject({
      status_code: status,
      error: expect.stringContaining(`${status}`),
    })
    expect(receiver.received).toHaveLength(1)
  },
)

test('D11.5 if the receiver does not answer or is unreachable, the reply is 200 without a status', async ({
  database,
  receiver,
  orgId,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  receiver.respondWith(() => {})
  const late = await replica({ attemptTimeoutMs: 1_000 }).test(id)
  expect(late.json().data).toEqual({ status_code: null, error: 'no complete answer within 1 s' })
  const guarded = await replica({ allowPrivateTargets: false }).test(id)
  expect(guarded.json().data).toEqual({ status_code: null, error: 'the target address is not public' })
  expect(receiver.received).toHaveLength(1)
})

test('a test event is in the delivery log, marked as a test', async ({
  database,
  receiver,
  orgId,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  const { call, test: send } = replica()
  await send(id)
  const { data, total_count } = (await call('GET', `/${id}/deliveries`)).json()
  expect(total_count).toBe(1)
  expect(data[0]).toMatchObject({
    attempt: 1,
    outcome: 'delivered',
    status_code: 204,
    error: null,
    test: true,
  })
  expect(data[0].delivery_id).toBe(receiver.received[0]?.headers['x-service-delivery'])
})

test('an organization may send five test events at once, then one every six seconds, on all replicas and webhooks', async ({
  database,
  receiver,
  orgId,
  newOrg,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  const [one, other] = [replica(), replica()]
  const replies = await Promise.all(
    [one, other, one, other, one, other, one, other].map(({ test: send }) => send(id)),
  )
  expect(replies.filter((reply) => reply.statusCode === 200)).toHaveLength(5)
  const refused = replies.find((reply) => reply.statusCode === 429)
  const seconds = Number(refused?.headers['retry-after'])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(6)
  expect(refused?.json().error).toMatchObject({
    type: 'rate_limited',
    detail: `Retry after ${seconds} seconds`,
  })
  expect(receiver.received).toHaveLength(5)

  await database.db.deleteFrom('webhook').where('org_id', '=', orgId).execute()
  const again = await addWebhook(database.db, orgId, receiver.url)
  expect((await one.test(again.id)).statusCode).toBe(429)
  const otherOrg = newOrg()
  const theirs = await addWebhook(database.db, otherOrg, receiver.url)
  expect((await one.test(theirs.id, otherOrg)).statusCode).toBe(200)
  const passed = new Date(Date.now() + 23_000).toISOString()
  await database.db
    .updateTable('delivery_counter')
    .set({ tests_until: passed })
    .where('org_id', '=', orgId)
    .execute()
  expect((await one.test(again.id)).statusCode).toBe(200)
})

test('a missing webhook is not_found, and does not count as a test event', async ({
  database,
  receiver,
  orgId,
  replica,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  const { test: send } = replica()
  for (let i = 0; i < 6; i += 1) expect((await send(id + 1)).json().error.type).toBe('not_found')
  expect((await send(id)).statusCode).toBe(200)
})

test('test events to hanging receivers are limited: above 64 at once, the reply is 503', async ({
  receiver,
}) => {
  const { promise, resolve } = Promise.withResolvers<{
    statusCode: number
    error: undefined
    latencyMs: number
  }>()
  const send = testSender(() => promise)
  const target = { url: receiver.url, secrets: [SECRET] } as const
  const payload = { event: 'asset.moved', deliveryId: '', timestamp: '1', body: Buffer.from('{}') } as const
  const running = Array.from({ length: 64 }, () => send(target, payload))
  await expect(send(target, payload)).rejects.toMatchObject({ type: 'service_unavailable' })
  resolve({ statusCode: 204, error: undefined, latencyMs: 1 })
  await Promise.all(running)
  await expect(send(target, payload)).resolves.toMatchObject({ statusCode: 204 })
})

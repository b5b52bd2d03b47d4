import { createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { Receiver } from '@whereabouts/testing/receiver'
import { expect } from 'vitest'
import {
  addWebhook,
  deliveryRows,
  hurry,
  orgState,
  receivedIds,
  recordMoves,
  SECRET,
  test,
} from '../../test/dispatcher.fixture.ts'
import { signature } from '../receivers/signature.ts'
import { deleteWebhook, updateWebhook } from '../webhooks/webhooks.queries.ts'

const SOON = { timeout: 15_000 }

/** Responds with these statuses in order. After the last, it does not respond. */
function answerWith(receiver: Receiver, ...statuses: number[]) {
  const left = [...statuses]
  receiver.respondWith((_, response) => {
    const status = left.shift()
    if (status !== undefined) response.writeHead(status, { location: receiver.url }).end('done')
  })
}

test('D11 a delivery arrives over TLS with the headers and the signature of the contract', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { counted } = dispatcher().deliverFor(orgId)
  const [id] = await recordMoves(database.db, orgId)
  await expect.poll(() => counted, SOON).toEqual(['attempt delivered', 'delivered'])
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = receiver.received
  expect(body.toString()).toBe(
    `{"event":"asset.moved","delivery_id":"${id}","occurred_at":"2026-11-21T10:00:00.500Z",` +
      '"data":{"asset":{"id":11,"external_key":"ASSET-0011","name":"Forklift"},"from_location":null,' +
      '"to_location":{"id":22,"name":"Dock"}}}',
  )
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1',
    'x-service-event': 'asset.moved',
    'x-service-delivery': id,
    'x-service-timestamp': '1795255200',
    'x-service-signature': signature(SECRET, '1795255200', body),
  })
})

test('no row is written before the first attempt, and one after it', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const answer = Promise.withResolvers<void>()
  receiver.respondWith((_, response) => void answer.promise.then(() => response.writeHead(204).end()))
  dispatcher().deliverFor(orgId)
  const [id] = await recordMoves(database.db, orgId)
  await expect.poll(() => receiver.received.length, SOON).toBe(1)
  expect(await deliveryRows(database.db, orgId)).toEqual([])
  answer.resolve()
  await expect
    .poll(() => deliveryRows(database.db, orgId), SOON)
    .toMatchObject([{ delivery_id: id, state: 'delivered', attempts: 1, next_attempt_at: null }])
  const hours = await database.db
    .selectFrom('delivery_hour')
    .select(['delivered', 'failed'])
    .where('org_id', '=', orgId)
    .execute()
  expect(hours).toEqual([{ delivered: 1, failed: 0 }])
})

test('D11.2 D11.3 three attempts with the same bytes, about 1 s and 5 s apart, then it has failed', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 404, 503, 200)
  const { counted } = dispatcher().deliverFor(orgId)
  await recordMoves(database.db, orgId)
  for (const [attempts, waitMs] of [
    [1, 1_000],
    [2, 5_000],
  ] as const) {
    await expect
      .poll(() => deliveryRows(database.db, orgId), SOON)
      .toMatchObject([{ state: 'waiting', attempts }])
    const [row] = await deliveryRows(database.db, orgId)
    const planned = Date.parse(row?.next_attempt_at ?? '') - Date.parse(row?.last_at ?? '')
    expect(planned).toBeGreaterThanOrEqual(waitMs)
    expect(planned).toBeLessThan(waitMs + 1_000) // and what the attempt and the database took
    await hurry(database.db, orgId)
  }
  await expect
    .poll(() => deliveryRows(database.db, orgId), SOON)
    .toMatchObject([{ state: 'failed', attempts: 3, next_attempt_at: null }])
  const [row] = await deliveryRows(database.db, orgId)
  expect(row?.log.map(({ status_code }) => status_code)).toEqual([500, 404, 503])
  expect(counted.at(-1)).toBe('dropped: attempts_exhausted')
  const [first, ...others] = receiver.received
  expect(others).toHaveLength(2)
  for (const { body, headers } of others) {
    expect(body).toEqual(first?.body)
    expect(headers['x-service-signature']).toBe(first?.headers['x-service-signature'])
  }
})

test('D13.6 each attempt is signed again, at its own second, for verifiers of Standard Webhooks', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 500, 200)
  let now = Date.parse('2026-11-21T12:00:00.900Z')
  const { counted } = dispatcher({ deps: { now: () => (now += 1_000) } }).deliverFor(orgId)
  const [id] = await recordMoves(database.db, orgId)
  for (const made of [1, 2]) {
    await expect
      .poll(() => deliveryRows(database.db, orgId), SOON)
      .toMatchObject([{ attempts: made, state: 'waiting' }])
    await hurry(database.db, orgId)
  }
  await expect.poll(() => counted.at(-1), SOON).toBe('delivered')
  const signed = receiver.received.map(({ headers, body }) => {
    const { 'webhook-id': webhookId, 'webhook-timestamp': timestamp } = headers
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
    const digest = createHmac('sha256', key)
      .update(`${webhookId}.${timestamp}.${body.toString()}`)
      .digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${digest}`)
    expect(webhookId).toBe(id)
    return Number(timestamp)
  })
  expect(new Set(signed).size).toBe(3)
})

test('while the subscription is unknown, nothing is sent or lost; once it is known, the delivery is sent', async ({
  database,
  receiver,
  orgId,
  newOrg,
  dispatcher,
}) => {
  const known = newOrg()
  for (const org of [orgId, known]) await addWebhook(database.db, org, receiver.url)
  const running = dispatcher().deliverFor(known)
  const [waiting] = await recordMoves(database.db, orgId)
  const [sent] = await recordMoves(database.db, known)
  await expect.poll(() => receivedIds(receiver), SOON).toEqual([sent])
  running.know(orgId)
  await expect.poll(() => receivedIds(receiver), SOON).toEqual([sent, waiting])
  expect(running.counted.filter((what) => what.startsWith('dropped'))).toEqual([])
})

test('an event of a lapsed organization is dropped', async ({ database, receiver, orgId, dispatcher }) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { counted, deps } = dispatcher().deliverFor()
  const { subject, payload } = orgState(orgId, '2026-01-01T00:00:00.000Z')
  deps.subscriptions.apply(subject, payload)
  await recordMoves(database.db, orgId)
  await expect.poll(() => counted, SOON).toEqual(['dropped: subscription_lapsed'])
  expect(receiver.received).toEqual([])
})

test('a delivery whose secret has no key is dropped with a row, not sent unsigned', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { counted } = dispatcher({ secretKeys: [{ id: 'k9', key: Buffer.alloc(32) }] }).deliverFor(orgId)
  await recordMoves(database.db, orgId)
  await expect.poll(() => deliveryRows(database.db, orgId), SOON).toMatchObject([{ state: 'dropped' }])
  expect(counted).toEqual(['dropped: secret_unreadable'])
  expect(receiver.received).toHaveLength(0)
})

test('D11.3 switched off between two attempts: the rest is dropped. What happens while it is off is not sent later', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  const { counted } = dispatcher().deliverFor(orgId)
  for (let round = 0; round < 3; round += 1) {
    answerWith(receiver, 500)
    const [failing] = await recordMoves(database.db, orgId)
    await expect.poll(() => receivedIds(receiver).at(-1), SOON).toBe(failing)
    await expect
      .poll(async () => (await deliveryRows(database.db, orgId)).at(-1), SOON)
      .toMatchObject({ delivery_id: failing, state: 'waiting' })
    await updateWebhook(database.db, orgId, id, { enabled: false })
    const [missed] = await recordMoves(database.db, orgId)
    await hurry(database.db, orgId)
    await expect
      .poll(async () => (await deliveryRows(database.db, orgId)).at(-1), SOON)
      .toMatchObject({ delivery_id: failing, state: 'dropped', attempts: 1 })
    await updateWebhook(database.db, orgId, id, { enabled: true })
    receiver.respondWith((_, response) => void response.writeHead(204).end())
    const [next] = await recordMoves(database.db, orgId)
    await expect.poll(() => receivedIds(receiver).at(-1), SOON).toBe(next)
    expect(receivedIds(receiver)).not.toContain(missed)
  }
  expect(counted.filter((what) => what.startsWith('dropped'))).toEqual(Array(3).fill('dropped: disabled'))
})

test('D13.13 neither a retry nor an earlier event goes to a webhook that replaced its own', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  dispatcher().deliverFor(orgId)
  for (const round of ['1', '2', '3']) {
    receiver.received.length = 0
    answerWith(receiver, 500)
    const { id } = await addWebhook(database.db, orgId, `${receiver.url}/old-${round}`)
    const [failing] = await recordMoves(database.db, orgId)
    await expect
      .poll(async () => (await deliveryRows(database.db, orgId)).at(-1), SOON)
      .toMatchObject({ delivery_id: failing, state: 'waiting' })
    await deleteWebhook(database.db, orgId, id)
    const { id: next } = await addWebhook(database.db, orgId, `${receiver.url}/new-${round}`)
    receiver.respondWith((_, response) => void response.writeHead(204).end())
    const [sent] = await recordMoves(database.db, orgId)
    await expect.poll(() => receivedIds(receiver), SOON).toEqual([failing, sent])
    expect(receiver.received.map(({ path }) => path)).toEqual([`/hook/old-${round}`, `/hook/new-${round}`])
    await deleteWebhook(database.db, orgId, next)
  }
})

test.for([301, 302, 307, 308])(
  'a redirect %i is a failure and is not followed',
  async (status, { database, receiver, orgId, dispatcher }) => {
    await addWebhook(database.db, orgId, receiver.url)
    answerWith(receiver, status)
    dispatcher().deliverFor(orgId)
    await recordMoves(database.db, orgId)
    await expect
      .poll(() => deliveryRows(database.db, orgId), SOON)
      .toMatchObject([{ state: 'waiting', log: [{ status_code: status }] }])
    expect(receiver.received).toHaveLength(1)
  },
)

test.for([
  ['that does not respond', () => {}],
  [
    'whose body does not end',
    (_: unknown, response: { writeHead(n: number): { write(text: string): unknown } }) =>
      void response.writeHead(200).write('.'),
  ],
] as const)(
  'a receiver %s in time has failed',
  async ([, respond], { database, receiver, orgId, dispatcher }) => {
    await addWebhook(database.db, orgId, receiver.url)
    receiver.respondWith(respond)
    dispatcher({ attemptTimeoutMs: 150 }).deliverFor(orgId)
    await recordMoves(database.db, orgId)
    await expect
      .poll(() => deliveryRows(database.db, orgId), SOON)
      .toMatchObject([{ log: [{ status_code: null, error: 'no complete answer within 0.15 s' }] }])
  },
)

test('a 200 with an endless body is a success after a limited part of it', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  let sent = 0
  receiver.respondWith((_, response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) sent += 1
    }
    response.on('drain', more)
    more()
  })
  const { counted } = dispatcher({ attemptTimeoutMs: 2_000 }).deliverFor(orgId)
  await recordMoves(database.db, orgId)
  await expect.poll(() => counted, SOON).toEqual(['attempt delivered', 'delivered'])
  expect(sent * 16 * 1024).toBeLessThan(16 * 1024 * 1024)
})

test('an untrusted certificate is a failure, and nothing is sent', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  dispatcher({ isReceiverTrusted: false }).deliverFor(orgId)
  await recordMoves(database.db, orgId)
  await expect.poll(() => deliveryRows(database.db, orgId), SOON).toHaveLength(1)
  const [row] = await deliveryRows(database.db, orgId)
  expect(row?.log[0]?.error).toMatch(/^certificate not trusted/)
  expect(receiver.received).toHaveLength(0)
})

test.for(['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '[::ffff:7f00:1]'])(
  'D11.4 a private target as %s gets no connection, and the log names no address',
  async (host, { database, orgId, dispatcher }) => {
    let connections = 0
    const listener = createServer(() => (connections += 1)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await addWebhook(database.db, orgId, `https://${host}:${port}/hook`)
    dispatcher({ allowPrivateTargets: false }).deliverFor(orgId)
    await recordMoves(database.db, orgId)
    await expect
      .poll(() => deliveryRows(database.db, orgId), SOON)
      .toMatchObject([{ state: 'waiting', log: [{ error: 'the target address is not public' }] }])
    expect(connections).toBe(0)
    listener.close()
  },
)

test('what cannot be saved is sent once, and saved when the database takes it again', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  dispatcher().deliverFor(orgId)
  for (let round = 1; round <= 3; round += 1) {
    await database.db.schema.alterTable('delivery_hour').renameTo('delivery_hour_away').execute()
    const [id] = await recordMoves(database.db, orgId)
    await expect.poll(() => receivedIds(receiver).at(-1), SOON).toBe(id)
    await database.db.schema.alterTable('delivery_hour_away').renameTo('delivery_hour').execute()
    await expect.poll(() => deliveryRows(database.db, orgId), SOON).toHaveLength(round)
    expect(receiver.received).toHaveLength(round)
  }
})

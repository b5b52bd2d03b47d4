import { createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { Receiver } from '@whereabouts/testing/receiver'
import { expect } from 'vitest'
import { Requeued } from '../lanes/requeued.ts'
import { deleteWebhook, updateWebhook } from '../../webhooks/webhooks.queries.ts'
import { addWebhook, movedJob, orgState, SECRET, test } from '../../../test/dispatcher.fixture.ts'
import { listAttempts } from '../../delivery-log/delivery-log.queries.ts'
import { signature } from '../../receivers/signature.ts'

const never = new AbortController().signal
const page = { limit: 50, offset: 0 }

/** Responds with these statuses in order. After the last, it does not respond. */
function answerWith(receiver: Receiver, ...statuses: number[]) {
  const left = [...statuses]
  receiver.respondWith((_, response) => {
    const status = left.shift()
    if (status !== undefined) response.writeHead(status, { location: receiver.url }).end('done')
  })
}

test('a delivery arrives over TLS with the headers and the signature of the contract', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { run, counted } = dispatcher()
  const job = movedJob(orgId)
  await run(job)
  expect(receiver.received).toHaveLength(1)
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = receiver.received
  expect(body).toEqual(job.payload.body)
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1',
    'x-service-event': 'asset.moved',
    'x-service-delivery': JSON.parse(body.toString()).delivery_id,
    'x-service-timestamp': '1795255200',
    'x-service-signature': signature(SECRET, '1795255200', body),
  })
  expect(counted).toEqual(['attempt delivered', 'delivered'])
})

test('D13.6 each attempt is signed anew, at its own second, for verifiers of Standard Webhooks', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 500, 200)
  let now = Date.parse('2026-11-21T12:00:00.900Z')
  const { run, deps } = dispatcher({ wait: (ms) => Promise.resolve((now += ms)) })
  deps.now = () => now
  const job = movedJob(orgId)
  await run(job)
  const signed = receiver.received.map(({ headers, body }) => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body.toString()}`).digest('base64')
    expect(signatures).toBe(`v1,${digest}`)
    return [id, Number(timestamp) - Date.parse('2026-11-21T12:00:00Z') / 1_000]
  })
  const id = job.payload.deliveryId
  expect(signed).toEqual([
    [id, 0],
    [id, 1],
    [id, 6],
  ])
})

const LAPSED = '2026-01-01T00:00:00.000Z'

test('while the subscription is unknown, nothing is sent; once it is known, the delivery is sent', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { subject, payload } = orgState(orgId, null)
  const { run, counted, waits, deps } = dispatcher({
    isOrgKnown: false,
    wait: async () => {
      expect(receiver.received).toEqual([])
      if (waits.length === 3) deps.subscriptions.apply(subject, payload)
    },
  })
  await run(movedJob(orgId))
  expect(waits).toEqual([5_000, 5_000, 5_000])
  expect(counted).toEqual(['attempt delivered', 'delivered'])
})

test('a delivery that waits for keys for five minutes is dropped and counted', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { run, counted, waits } = dispatcher({ isOrgKnown: false })
  await run(movedJob(orgId))
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(300_000)
  expect(counted).toEqual(['dropped: subscription_unknown'])
  expect(receiver.received).toEqual([])
})

test('a delivery that waits for keys is requeued when the process stops', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const stopping = new AbortController()
  const wait = () => {
    stopping.abort()
    return Promise.reject(new Error('aborted'))
  }
  const { run, counted } = dispatcher({ isOrgKnown: false, wait })
  await expect(run(movedJob(orgId), { stopping: stopping.signal, abort: never })).rejects.toThrow(Requeued)
  expect(counted).toEqual([])
})

test('D11.2 a retry sends the same bytes, and every attempt is in the log', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 202)
  const { run, counted, waits } = dispatcher()
  await run(movedJob(orgId))
  const [first, second] = receiver.received
  expect(receiver.received).toHaveLength(2)
  expect(second?.body).toEqual(first?.body)
  const { date: _, 'webhook-timestamp': __, 'webhook-signature': ___, ...headers } = first?.headers ?? {}
  expect(second?.headers).toMatchObject(headers)
  expect(waits).toEqual([1_000])
  expect(counted).toEqual(['attempt failed', 'attempt delivered', 'delivered'])
  expect(await listAttempts(database.db, orgId, id, page)).toMatchObject([
    { attempt: 2, outcome: 'delivered', status_code: 202, error: null },
    { attempt: 1, outcome: 'failed', status_code: 500, error: 'answered 500' },
  ])
})

test('D11.3 after the third failure the delivery is dropped', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 404, 503, 200)
  const { run, counted, waits } = dispatcher()
  await run(movedJob(orgId))
  expect(receiver.received).toHaveLength(3)
  expect(waits).toEqual([1_000, 5_000])
  expect(counted.at(-1)).toBe('dropped: attempts_exhausted')
})

test.for([301, 302, 307, 308])(
  'a redirect %i is a failure and is not followed',
  async (status, { database, receiver, orgId, dispatcher }) => {
    await addWebhook(database.db, orgId, receiver.url)
    answerWith(receiver, status, status, status)
    const { run, counted } = dispatcher()
    await run(movedJob(orgId))
    expect(receiver.received).toHaveLength(3)
    expect(counted.at(-1)).toBe('dropped: attempts_exhausted')
  },
)

test('a receiver that does not respond in time is a failure', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver)
  const { run } = dispatcher({ attemptTimeoutMs: 150 })
  await run(movedJob(orgId))
  const [last] = await listAttempts(database.db, orgId, id, page)
  expect(last).toMatchObject({
    attempt: 3,
    outcome: 'failed',
    status_code: null,
    error: 'no complete answer within 0.15 s',
  })
  expect(last?.latency_ms).toBeLessThan(1_000)
})

test('the timeout is for the whole response: a 200 whose body does not end is a failure', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  receiver.respondWith((_, response) => void response.writeHead(200).write('.'))
  const { run } = dispatcher({ attemptTimeoutMs: 150 })
  await run(movedJob(orgId))
  expect((await listAttempts(database.db, orgId, id, page))[0]).toMatchObject({ outcome: 'failed' })
})

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
  const { run, counted } = dispatcher({ attemptTimeoutMs: 2_000 })
  await run(movedJob(orgId))
  expect(counted).toEqual(['attempt delivered', 'delivered'])
  expect(sent * 16 * 1024).toBeLessThan(16 * 1024 * 1024)
})

test('an untrusted certificate is a failure, and nothing is sent', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  await dispatcher({ isReceiverTrusted: false }).run(movedJob(orgId))
  expect(receiver.received).toHaveLength(0)
  const [last] = await listAttempts(database.db, orgId, id, page)
  expect(last?.error).toMatch(/^certificate not trusted/)
})

test.for(['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '[::ffff:7f00:1]'])(
  'D11.4 a private target as %s gets no connection, and the log names no address',
  async (host, { database, orgId, dispatcher }) => {
    let connections = 0
    const listener = createServer(() => (connections += 1)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { id } = await addWebhook(database.db, orgId, `https://${host}:${port}/hook`)
    const { run } = dispatcher({ allowPrivateTargets: false })
    await run(movedJob(orgId))
    expect(connections).toBe(0)
    const attempts = await listAttempts(database.db, orgId, id, page)
    expect(attempts.map(({ error }) => error)).toEqual(Array(3).fill('the target address is not public'))
    listener.close()
  },
)

test('with private targets allowed, the same listener is reached', async ({
  database,
  orgId,
  dispatcher,
}) => {
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await addWebhook(database.db, orgId, `https://localhost:${port}/hook`)
  await dispatcher().run(movedJob(orgId))
  expect(connections).toBe(3)
  listener.close()
})

test('D11.3 if deliveries are switched off between two attempts, the second is not made', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 200)
  const { run, counted } = dispatcher({
    wait: () => updateWebhook(database.db, orgId, id, { enabled: false }),
  })
  await run(movedJob(orgId))
  expect(receiver.received).toHaveLength(1)
  expect(counted).toEqual(['attempt failed', 'dropped: disabled'])
})

test('D11.3 if the subscription lapses between two attempts, the second is not made', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 200)
  const { run, counted, deps } = dispatcher({
    wait: async () => {
      const { subject, payload } = orgState(orgId, LAPSED, 2)
      deps.subscriptions.apply(subject, payload)
    },
  })
  await run(movedJob(orgId))
  expect(receiver.received).toHaveLength(1)
  expect(counted).toEqual(['attempt failed', 'dropped: subscription_lapsed'])
})

test.for([
  { name: 'deleted', again: false, reason: 'no_webhook' },
  { name: 'deleted and created again', again: true, reason: 'before_enabled' },
])(
  'D11.3 if the webhook is $name between two attempts, the second is not made: $reason',
  async ({ again, reason }, { database, receiver, orgId, dispatcher }) => {
    const { id } = await addWebhook(database.db, orgId, receiver.url)
    answerWith(receiver, 500, 200)
    const { run, counted } = dispatcher({
      wait: async () => {
        await deleteWebhook(database.db, orgId, id)
        if (again) await addWebhook(database.db, orgId, receiver.url)
      },
    })
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    await database.db
      .updateTable('webhook')
      .set({ enabled_at: minutesAgo(2).toISOString() })
      .where('org_id', '=', orgId)
      .execute()
    await run(movedJob(orgId, { receivedAt: minutesAgo(1).getTime() }))
    expect(receiver.received).toHaveLength(1)
    expect(counted).toEqual(['attempt failed', `dropped: ${reason}`])
  },
)

test('if the URL changes between two attempts, the second goes to the new URL', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { id } = await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 200)
  const { run } = dispatcher({
    wait: () => updateWebhook(database.db, orgId, id, { url: `${receiver.url}/new` }),
  })
  await run(movedJob(orgId))
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook/new'])
})

test('without a webhook, with deliveries off, or lapsed, nothing is sent and the reason is counted', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const { run, counted, deps } = dispatcher()
  await run(movedJob(orgId))
  const { id } = await addWebhook(database.db, orgId, receiver.url, false)
  await run(movedJob(orgId))
  await updateWebhook(database.db, orgId, id, { enabled: true })
  await run(movedJob(orgId, { receivedAt: Date.now() - 60_000 }))
  const { subject, payload } = orgState(orgId, LAPSED, 2)
  deps.subscriptions.apply(subject, payload)
  await run(movedJob(orgId))
  expect(counted).toEqual([
    'dropped: no_webhook',
    'dropped: disabled',
    'dropped: before_enabled',
    'dropped: subscription_lapsed',
  ])
  expect(receiver.received).toHaveLength(0)
})

test('a delivery whose secret has no key is dropped and counted, not sent unsigned', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { run, counted } = dispatcher({ secretKeys: [{ id: 'k9', key: Buffer.alloc(32) }] })
  await run(movedJob(orgId))
  expect(counted).toEqual(['dropped: secret_unreadable'])
  expect(receiver.received).toHaveLength(0)
})

test('a message that is redelivered after a logged success is not sent again', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { run, counted } = dispatcher()
  const job = movedJob(orgId)
  await run(job)
  await run({ ...job, attempts: 0, deliveryCount: 2 })
  expect(receiver.received).toHaveLength(1)
  expect(counted.at(-1)).toBe('already_delivered')
})

test('D11.3 a message that is redelivered after two failures gets one more attempt', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  answerWith(receiver, 500, 500, 500, 500)
  const { run } = dispatcher()
  const stopping = new AbortController()
  const job = movedJob(orgId)
  const stops = dispatcher({
    wait: (ms) => {
      if (ms < 5_000) return Promise.resolve()
      stopping.abort()
      return Promise.reject(new Error('aborted'))
    },
  })
  await expect(stops.run(job, { stopping: stopping.signal, abort: never })).rejects.toThrow(Requeued)
  expect(receiver.received).toHaveLength(2)
  await run({ ...job, attempts: 0, deliveryCount: 2 })
  expect(receiver.received).toHaveLength(3)
})

test('if the log cannot be written, the delivery is not sent twice', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { run, counted } = dispatcher()
  await database.db.schema.alterTable('delivery_attempt').renameTo('delivery_attempt_away').execute()
  try {
    await run(movedJob(orgId))
  } finally {
    await database.db.schema.alterTable('delivery_attempt_away').renameTo('delivery_attempt').execute()
  }
  expect(receiver.received).toHaveLength(1)
  expect(counted.at(-1)).toBe('delivered')
})

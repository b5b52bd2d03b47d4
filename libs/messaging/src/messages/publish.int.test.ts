import { expect } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { connect, natsOf, type Broker, type ConnectionMetrics } from '../connect/connection.ts'
import { listDeadLetters } from '../dead-letters/dead-letters.fixture.ts'
import { outboxPublish, publish, publishMany } from './publish.ts'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { streams, applyTopology } from '../connect/topology.ts'

const subject = 'events.asset-moved.7'

async function stored(broker: Broker) {
  const jsm = await natsOf(broker).jetstreamManager()
  const { state } = await jsm.streams.info('EVENTS')
  const messages = []
  for (let seq = state.first_seq; seq <= state.last_seq && seq > 0; seq += 1) {
    messages.push(await jsm.streams.getMessage('EVENTS', { seq }))
  }
  return messages
}

test('two messages with the same id are stored once, and both publishes succeed', async ({ bus }) => {
  const first = await publish(bus.broker, { subject, payload: { n: 1 }, msgId: 'a' })
  const again = await publish(bus.broker, { subject, payload: { n: 1 }, msgId: 'a' })
  expect([first.duplicate, again.duplicate]).toEqual([false, true])
  expect(await stored(bus.broker)).toHaveLength(1)
})

test('publishMany keeps the order and has a result for each message', async ({ bus }) => {
  const messages = Array.from({ length: 200 }, (_, n) => ({ subject, payload: n }))
  const results = await publishMany(bus.broker, [
    ...messages,
    { subject: 'nobody.listens', payload: 0 },
    { subject, payload: new Uint8Array(2 * 1024 * 1024) },
    { subject, payload: 'header', headers: { broken: 'a\r\nb: c' } },
    { subject, payload: 200 },
  ])
  expect(results.slice(0, 200).every(({ ok }) => ok)).toBe(true)
  expect(results.slice(200).map(({ ok }) => ok)).toEqual([false, false, false, true])
  expect((await stored(bus.broker)).map((message) => message.json())).toEqual(
    Array.from({ length: 201 }, (_, n) => n),
  )
})

test('of more messages than the broker buffers, each one that is not stored is a failure', async ({
  bus,
}) => {
  const messages = Array.from({ length: 60_000 }, (_, n) => ({
    subject: `catalog.asset.7.${n}`,
    payload: 'x'.repeat(200),
  }))
  const results = await publishMany(bus.broker, messages, 30_000)
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const { state } = await jsm.streams.info('CATALOG', { subjects_filter: 'catalog.asset.7.>' })
  const ok = results.flatMap((result, n) => (result.ok ? [`catalog.asset.7.${n}`] : []))
  expect(ok.length).toBeGreaterThan(0)
  expect(Object.keys(state.subjects ?? {}).toSorted()).toEqual(ok.toSorted())
})

test('a message carries the running trace and request id, unless it has its own', async ({ bus }) => {
  const trace = { ...rootTrace(), requestId: 'R1' }
  await withTrace(trace, () => publish(bus.broker, { subject, payload: 1 }))
  await publish(bus.broker, { subject, payload: 2, headers: { request_id: 'R2' } })
  const [first, second] = await stored(bus.broker)
  expect(first?.header.get('traceparent')).toContain(trace.traceId)
  expect(first?.header.get('request_id')).toBe('R1')
  expect(second?.header.get('request_id')).toBe('R2')
})

const row = (msg_id: string, to = subject) => ({ subject: to, msg_id, payload: {}, headers: {}, age: 0 })

test('an outbox relay learns for each row whether it is stored, and a failure is logged once', async ({
  bus,
}) => {
  const publishRows = outboxPublish(bus.broker, bus.logger)
  expect(await publishRows([row('a'), row('b', 'nobody.listens'), row('a')])).toEqual([true, false, true])
  expect(await publishRows([row('b', 'nobody.listens')])).toEqual([false])
  expect(await publishRows([row('c')])).toEqual([true])
  expect(bus.log.filter(({ text }) => text.startsWith('outbox'))).toMatchObject([
    { level: 'warn', subject: 'nobody.listens', reason: 'no stream takes this subject' }, // once, not per attempt
    { level: 'info' },
  ])
})

test('without a broker each message fails and none hangs', async ({ bus }) => {
  await bus.server.kill()
  const results = await publishMany(bus.broker, [{ subject, payload: 1 }], 500)
  expect(results).toMatchObject([{ ok: false }])
  await expect(publish(bus.broker, { subject, payload: 1 }, 500)).rejects.toThrow(/not stored/)
})

test('applying the topology again changes what differs', async ({ bus }) => {
  await publish(bus.broker, { subject, payload: 1 })
  await applyTopology(bus.brokers, { scansMaxBytes: 10_000_000, ackWaitMs: 5_000 })
  await Promise.all([applyTopology(bus.brokers), applyTopology({ ...bus.brokers, APP: await bus.connect() })])
  const jsm = await natsOf(bus.broker).jetstreamManager()
  expect((await jsm.streams.info('SCANS')).config).toMatchObject({
    max_bytes: streams.SCANS.maxBytes,
    max_age: 72 * 3_600 * 1e9,
    retention: 'limits',
  })
  expect((await jsm.streams.info('KEYS')).config.max_msgs_per_subject).toBe(1)
  expect((await jsm.consumers.info('SCANS', 'tracking-ingest')).config).toMatchObject({
    ack_policy: 'explicit',
    ack_wait: 30 * 1e9,
    max_deliver: 15,
  })
  expect(await stored(bus.broker)).toHaveLength(1)
})

test('dead letters are listed newest first, up to the limit', async ({ bus }) => {
  const headers = {
    reason: 'r',
    original_subject: 'scans.1.r.canonical',
    stream_seq: '1',
    delivery_count: '1',
  }
  await publishMany(
    bus.broker,
    [1, 2, 3].map((payload) => ({ subject: 'dead.SCANS.tracking-ingest', payload, headers })),
  )
  expect((await listDeadLetters(bus.broker, 2)).map(({ seq }) => seq)).toEqual([3, 2])
  expect(await listDeadLetters(bus.broker, 50)).toHaveLength(3)
})

test('messages that the broker did not store are counted by reason, and the end of a connection is reported', async ({
  bus,
}) => {
  const reported: unknown[][] = []
  const metrics: ConnectionMetrics = {
    connected: (isConnected) => reported.push(['connected', isConnected]),
    reconnected: () => reported.push(['reconnected']),
    unpublished: (...args) => reported.push(['unpublished', ...args]),
  }
  const { server, logger } = bus
  const broker = await connect({ url: server.url, ...server.users.services, name: 'test', logger, metrics })
  await publishMany(broker, [
    { subject, payload: 1 },
    { subject: 'nobody.listens', payload: 2 },
  ])
  await broker.close()
  await broker.closed
  await publishMany(broker, [{ subject, payload: 3 }])
  expect(reported).toEqual([
    ['connected', true],
    ['unpublished', 'refused', 1],
    ['connected', false],
    ['unpublished', 'disconnected', 1],
  ])
})

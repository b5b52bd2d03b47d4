import { eventually } from '@whereabouts/testing/eventually'
import { createRegistry, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { dropBefore } from '@whereabouts/testing/broker/streams'
import { expect } from 'vitest'
import { watchBroker } from './broker-watch.ts'
import { natsOf } from './connection.ts'
import { publish } from '../messages/publish.ts'
import { durables } from './topology.ts'

const log = { warn: () => undefined }
const durable = 'webhook-dispatcher-events'
const subject = 'events.asset-moved.7'

async function valueOf(registry: Registry, metric: string): Promise<number | undefined> {
  return (await registry.getSingleMetric(metric)?.get())?.values[0]?.value
}

test('gauges show size and copies of streams, and how many messages wait for a durable and how long', async ({
  bus,
}) => {
  const registry = createRegistry('test')
  const watch = watchBroker(bus.brokers, {
    registry,
    log,
    streams: ['EVENTS'],
    durables: [durable],
    everyMs: 10,
  })
  const shown = (metric: string) => valueOf(registry, metric)
  await eventually(async () => expect(await shown('stream_messages')).toBe(0))
  expect(await shown('consumer_oldest_unsettled_age_seconds')).toBe(0)
  expect(await shown('consumer_max_ack_pending_messages')).toBe(durables[durable].maxAckPending)
  expect([await shown('stream_replicas'), await shown('stream_replicas_current')]).toEqual([1, 1])
  expect(await shown('stream_max_bytes')).toBeUndefined() // EVENTS is bounded by time alone

  for (let n = 0; n < 3; n += 1) await publish(bus.broker, { subject, payload: n })
  await eventually(async () => expect(await shown('consumer_pending_messages')).toBe(3))
  expect(await shown('stream_bytes')).toBeGreaterThan(0)
  await eventually(async () =>
    expect(await shown('consumer_oldest_unsettled_age_seconds')).toBeGreaterThan(0.1),
  )
  await watch.stop()
})

test('the age is that of the oldest unsettled message, although earlier ones were dropped', async ({
  bus,
}) => {
  const registry = createRegistry('test')
  const js = natsOf(bus.broker).jetstream()
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const stored = []
  for (let n = 0; n < 3; n += 1) stored.push(await publish(bus.broker, { subject, payload: n }))
  const consumer = await js.consumers.get('EVENTS', durable)
  for await (const message of await consumer.fetch({ max_messages: 1, expires: 1_000 }))
    await message.ackAck()
  await dropBefore(bus.broker, 'EVENTS', stored[2]?.seq ?? 0)
  const { time } = await jsm.streams.getMessage('EVENTS', { seq: stored[2]?.seq ?? 0 })
  const watch = watchBroker(bus.brokers, { registry, log, streams: [], durables: [durable], everyMs: 10 })
  await eventually(async () => {
    const age = await valueOf(registry, 'consumer_oldest_unsettled_age_seconds')
    expect(age).toBeGreaterThan(0)
    expect(Math.abs(Date.now() - time.getTime() - 1_000 * (age ?? 0))).toBeLessThan(500)
  })
  await watch.stop()
})

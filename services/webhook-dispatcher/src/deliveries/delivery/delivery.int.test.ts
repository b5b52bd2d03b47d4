import { assetMoved, type AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { openDatabase } from '@whereabouts/db/connect/database'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { listDeadLetters } from '@whereabouts/messaging/dead-letters/dead-letters.fixture'
import type { Logger } from '@whereabouts/messaging/connect/logger'
import { publish, publishMany } from '@whereabouts/messaging/messages/publish'
import { respond } from '@whereabouts/messaging/messages/request'
import type { Receiver } from '@whereabouts/testing/receiver'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import {
  addWebhook,
  movedEvent,
  movedJob,
  orgState,
  receivedIds,
  test as dispatcherTest,
  type DispatcherOptions,
  type TestDispatcher,
} from '../../../test/dispatcher.fixture.ts'
import { deliveryStore } from '../attempts/delivery-store.ts'
import { recordAttempt } from '../../delivery-log/delivery-log.queries.ts'
import type { Tables } from '../../db.ts'
import { deleteWebhook } from '../../webhooks/webhooks.queries.ts'
import { statusOf } from '../../subscriptions/subscriptions.ts'
import { startDelivery, type Delivery } from './delivery.ts'
import { bytesOf } from './lanes.consumer.ts'
import { CONCURRENCY_LIMITS } from '../lanes/adaptive-concurrency.ts'

const SOON = { timeout: 15_000 }
const LAPSED = '2026-01-01T00:00:00.000Z'

type ReplicaOptions = DispatcherOptions & {
  heartbeatMs?: number
  /** Organizations that get one delivery at a time, as after a failure. */
  oneAtATime?: readonly number[]
}

type Replica = TestDispatcher & {
  delivery: Delivery
  /** How each message was settled, in order. */
  settled: string[]
}

/** Stands in for keys: `endsAt` is the end of each subscription. */
const serveStates = (broker: Broker, endsAt: string | null, logger: Logger) =>
  respond(
    broker,
    republishKeysState.subject,
    'keys',
    async (payload) => {
      const { subject } = republishKeysState.request.parse(payload)
      await publish(broker, orgState(Number(subject.split('.')[2]), endsAt))
      return { published: true }
    },
    { logger },
  )

const test = dispatcherTest.extend<{
  isKeysUp: boolean
  /** One replica of the dispatcher, on the connection of `bus` or on another. It stops with the test. */
  startReplica: (options?: ReplicaOptions, broker?: Broker) => Replica
}>({
  isKeysUp: true,
  startReplica: async ({ bus, dispatcher, isKeysUp }, use) => {
    const running: { stop(): Promise<void> }[] = isKeysUp ? [serveStates(bus.broker, null, bus.logger)] : []
    await use(({ heartbeatMs, oneAtATime = [], ...options } = {}, broker = bus.broker) => {
      const created = dispatcher(options)
      for (const org of oneAtATime) created.deps.bulkheads.report(org, false, 10)
      const settled: string[] = []
      const delivery = startDelivery(broker, created.deps, {
        lanes: created.lanes,
        consumerMetrics: {
          handled: (outcome, count) => settled.push(...Array<string>(count).fill(outcome)),
        },
        graceMs: 5_000,
        ...(heartbeatMs !== undefined && { heartbeatMs }),
      })
      running.push(delivery)
      return { ...created, delivery, settled }
    })
    await Promise.all(running.map((delivery) => delivery.stop()))
  },
})

const send = (broker: Broker, event: AssetMoved) =>
  publish(broker, { subject: assetMoved.subject(event), payload: event, msgId: event.delivery_id })

/** Holds every response on this path until `release`. */
function holdResponses(receiver: Receiver, path = '/hook') {
  const held: ServerResponse[] = []
  let open = false
  receiver.respondWith((request, response) => {
    if (open || request.path !== path) response.writeHead(204).end()
    else held.push(response)
  })
  const release = () => {
    open = true
    for (const response of held.splice(0)) response.writeHead(204).end()
  }
  return { release }
}

test('an event of the stream reaches the receiver and is acknowledged', async ({
  bus,
  database,
  receiver,
  orgId,
  startReplica,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { settled } = startReplica()
  const event = movedEvent(orgId)
  await send(bus.broker, event)
  await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id])
  await expect.poll(() => settled, SOON).toEqual(['ack'])
})

test('the subscriptions are known before the first event is handled', async ({
  bus,
  database,
  receiver,
  orgId,
  startReplica,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  // The lapsed organization is the last, so that reading all states takes longer than reading the first event.
  const others = Array.from({ length: 3_000 }, (_, i) => orgState(100_000 + i, null))
  await publishMany(bus.broker, [...others, orgState(orgId, LAPSED)])
  await send(bus.broker, movedEvent(orgId))
  const { counted, settled } = startReplica()
  await expect.poll(() => settled, SOON).toEqual(['ack'])
  expect(counted).toEqual(['dropped: subscription_lapsed'])
  expect(receiver.received).toEqual([])
})

describe('a lapsed organization whose state was overwritten in KEYS', () => {
  test.override({ isKeysUp: false })
  const lapsed = (orgId: number) => orgState(orgId, LAPSED)
  /** This payload looks like an acknowledgement of the broker. */
  const overwritten = (orgId: number) => ({
    subject: `keys.org.${orgId}`,
    payload: { stream: 'SCANS', seq: 48 },
  })

  test('gets nothing from a dispatcher that starts later, because it asks keys', async ({
    bus,
    database,
    receiver,
    orgId,
    startReplica,
  }) => {
    await addWebhook(database.db, orgId, receiver.url)
    await publishMany(bus.broker, [lapsed(orgId), overwritten(orgId)])
    // Time passes between two requests to keys. Otherwise the five minutes would be over before keys is there.
    const { counted, waits, settled } = startReplica({ wait: () => delay(50) })
    await send(bus.broker, movedEvent(orgId))
    await expect.poll(() => waits.length, SOON).toBeGreaterThan(0) // keys does not reply yet
    expect(settled).toEqual([])
    const keys = serveStates(bus.broker, LAPSED, bus.logger)
    await expect.poll(() => settled, SOON).toEqual(['ack'])
    expect(counted).toEqual(['dropped: subscription_lapsed'])
    expect(receiver.received).toEqual([])
    await keys.stop()
  })

  test('is unknown to a running dispatcher until its state is published again', async ({
    bus,
    orgId,
    startReplica,
  }) => {
    await publish(bus.broker, lapsed(orgId))
    const { delivery, deps } = startReplica()
    const status = () => statusOf(deps.subscriptions.get('org', orgId), Date.now())
    await expect.poll(status, SOON).toBe('lapsed')
    await publish(bus.broker, overwritten(orgId))
    await expect.poll(status, SOON).toBe('unknown')
    await publish(bus.broker, lapsed(orgId))
    await expect.poll(status, SOON).toBe('lapsed')
    await delivery.stop()
  })
})

test('an event that cannot be read becomes a dead letter, and the next event is delivered', async ({
  bus,
  database,
  receiver,
  orgId,
  startReplica,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  startReplica()
  await publish(bus.broker, { subject: `events.asset-moved.${orgId}`, payload: { nonsense: true } })
  const event = movedEvent(orgId)
  await send(bus.broker, event)
  await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id])
  await expect
    .poll(() => listDeadLetters(bus.broker, 10), SOON)
    .toMatchObject([{ reason: 'not an asset.moved event' }])
})

test('D11.6 a receiver that hangs does not delay another organization', async ({
  bus,
  database,
  receiver,
  orgId,
  newOrg,
  startReplica,
}) => {
  const hanging = newOrg()
  // Both use one server, like customers of a hosted receiver.
  const { release } = holdResponses(receiver, '/hook/hanging')
  await addWebhook(database.db, hanging, `${receiver.url}/hanging`)
  await addWebhook(database.db, orgId, receiver.url)
  // No timeout frees the slots, so that the last event passes only because it has its own lane.
  const { settled } = startReplica({ attemptTimeoutMs: 60_000 })
  for (let i = 0; i < 20; i += 1) await send(bus.broker, movedEvent(hanging))
  await expect.poll(() => receiver.received.length, SOON).toBe(CONCURRENCY_LIMITS.unknown)
  const event = movedEvent(orgId)
  await send(bus.broker, event)
  await expect.poll(() => receivedIds(receiver).at(-1), SOON).toBe(event.delivery_id)
  await expect.poll(() => settled, SOON).toEqual(['ack'])
  release()
  await expect.poll(() => settled.length, SOON).toBe(21)
})

describe('D11.6 with more hanging organizations than there are slots', () => {
  const SLOTS = { well: 4, slow: 4 }

  test('an organization with a healthy receiver gets its deliveries at once', async ({
    bus,
    database,
    receiver,
    orgId,
    newOrg,
    startReplica,
  }) => {
    const { release } = holdResponses(receiver, '/hook/hanging')
    const hanging = Array.from({ length: 24 }, newOrg)
    for (const org of hanging) await addWebhook(database.db, org, `${receiver.url}/hanging`)
    await addWebhook(database.db, orgId, receiver.url)
    // No timeout frees the slots of the hanging requests.
    const { settled, deps } = startReplica({ requestsAtOnce: SLOTS, attemptTimeoutMs: 60_000 })
    for (const org of hanging) for (let i = 0; i < 3; i += 1) await send(bus.broker, movedEvent(org))
    await expect.poll(() => deps.bulkheads.sizes().waiting.slow, SOON).toBeGreaterThan(SLOTS.slow)
    const events = Array.from({ length: 50 }, () => movedEvent(orgId))
    for (const event of events) await send(bus.broker, event)
    await expect.poll(() => settled.length, SOON).toBe(events.length)
    const got = receiver.received.filter(({ path }) => path === '/hook')
    expect(new Set(got.map(({ headers }) => headers['x-service-delivery'])).size).toBe(events.length)
    release()
  })
})

describe('a save of 10 000 assets', () => {
  const SAVED = 10_000
  const WHILE = { timeout: 110_000, interval: 250 }

  test(
    'reaches a healthy receiver completely, although it does not respond at first',
    { timeout: 120_000 },
    async ({ bus, database, receiver, orgId, startReplica }) => {
      const { release } = holdResponses(receiver)
      await addWebhook(database.db, orgId, receiver.url)
      const { deps, counted, lanes } = startReplica({
        attemptTimeoutMs: 120_000,
        requestsAtOnce: { well: 64, slow: 64 },
      })
      const events = Array.from({ length: SAVED }, () => movedEvent(orgId))
      const messages = events.map((event) => ({
        subject: assetMoved.subject(event),
        payload: event,
        msgId: event.delivery_id,
      }))
      for (let i = 0; i < SAVED; i += 500) await publishMany(bus.broker, messages.slice(i, i + 500))
      await expect.poll(() => lanes.sizes().waiting, WHILE).toBe(SAVED - CONCURRENCY_LIMITS.unknown)
      release()
      await expect.poll(() => counted.filter((what) => what === 'delivered').length, WHILE).toBe(SAVED)
      expect(counted.filter((what) => what.startsWith('dropped'))).toEqual([])
      expect(new Set(receivedIds(receiver)).size).toBe(SAVED)
      expect(deps.bulkheads.sizes().running).toEqual({ well: 0, slow: 0 })
    },
  )
})

test('a full lane drops, counts and logs its oldest deliveries, and loses no other', async ({
  bus,
  database,
  receiver,
  orgId,
  newOrg,
  startReplica,
}) => {
  const other = newOrg()
  const { release } = holdResponses(receiver)
  for (const org of [orgId, other]) await addWebhook(database.db, org, receiver.url)
  const event = movedEvent(orgId)
  const laneBytes = 3 * bytesOf(movedJob(orgId))
  const options = {
    laneLimits: { laneBytes },
    oneAtATime: [orgId],
    attemptTimeoutMs: 60_000,
    log: bus.logger,
  }
  const { counted, settled, deps } = startReplica(options)
  const events = [event, ...Array.from({ length: 5 }, () => movedEvent(orgId))]
  for (const one of events) await send(bus.broker, one)
  await send(bus.broker, movedEvent(other))
  await expect.poll(() => settled, SOON).toEqual(['ack', 'ack'])
  expect(counted).toEqual(['dropped: lane_full', 'dropped: lane_full'])
  deps.logs.close()
  const lines = bus.log.filter(({ text }) => text === 'delivery dropped')
  expect(lines).toMatchObject([
    { reason: 'lane_full', count: 1 },
    { reason: 'lane_full', count: 1 },
  ])
  release()
  await expect.poll(() => settled.length, SOON).toBe(7)
  const [first, , , ...newest] = events.map(({ delivery_id }) => delivery_id)
  const got = new Set(receivedIds(receiver))
  expect([first, ...newest].filter((id) => !got.has(id ?? ''))).toEqual([])
  expect(got.size).toBe(5)
})

test('while the database is unreachable, events are held; they are delivered when it is back', async ({
  bus,
  database,
  tenants,
  receiver,
  orgId,
  startReplica,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { deps, settled } = startReplica({ log: bus.logger })
  const unreachableDatabase = openDatabase<Tables>('postgres://nobody@127.0.0.1:1/none', { max: 1 })
  deps.store = deliveryStore(tenants, unreachableDatabase.db)
  const event = movedEvent(orgId)
  await send(bus.broker, event)
  await expect
    .poll(() => bus.log.map(({ text }) => text), SOON)
    .toContain('consumer holds messages during an outage')
  deps.store = deliveryStore(tenants, database.worker.db)
  await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id])
  await expect.poll(() => settled, SOON).toEqual(['ack'])
  await unreachableDatabase.close()
})

test('stopping lets running attempts end and requeues waiting deliveries; another replica sends them, none twice', async ({
  bus,
  database,
  receiver,
  orgId,
  startReplica,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { release } = holdResponses(receiver)
  const first = startReplica({ oneAtATime: [orgId] })
  const events = [movedEvent(orgId), movedEvent(orgId), movedEvent(orgId)]
  for (const event of events) await send(bus.broker, event)
  await expect.poll(() => receiver.received.length, SOON).toBe(1)
  const stopped = first.delivery.stop()
  await expect.poll(() => first.settled, SOON).toEqual(['return', 'return'])
  release()
  await stopped
  expect(first.settled.toSorted()).toEqual(['ack', 'return', 'return'])
  expect(receiver.received).toHaveLength(1)
  startReplica({}, await bus.connect())
  await expect.poll(() => receiver.received.length, SOON).toBe(3)
  expect(new Set(receivedIds(receiver))).toEqual(new Set(events.map((event) => event.delivery_id)))
})

describe('with a broker that waits two seconds for an acknowledgement', () => {
  test.override({ topology: { ackWaitMs: 2_000 } })

  test('after a crash, a delivery is sent again under the same id, unless its success was logged', async ({
    bus,
    database,
    receiver,
    orgId,
    startReplica,
  }) => {
    const { id } = await addWebhook(database.db, orgId, receiver.url)
    const { release } = holdResponses(receiver)
    const doomed = await bus.connect()
    startReplica({}, doomed)
    const [lost, done] = [movedEvent(orgId), movedEvent(orgId)]
    await send(bus.broker, lost)
    await send(bus.broker, done)
    await expect.poll(() => receiver.received.length, SOON).toBe(2)
    // Like SIGKILL: nothing is acknowledged or requeued. For `done`, the crash came after the log entry.
    await doomed.close()
    await recordAttempt(database.db, orgId, {
      webhook_id: id,
      delivery_id: done.delivery_id,
      attempt: 1,
      attempted_at: new Date().toISOString(),
      outcome: 'delivered',
      status_code: 204,
      latency_ms: 5,
      error: null,
      test: false,
    })
    receiver.respondWith((_, response) => void response.writeHead(204).end())
    const second = startReplica()
    await expect
      .poll(() => second.counted.toSorted(), SOON)
      .toEqual(['already_delivered', 'attempt delivered', 'delivered'])
    expect(receivedIds(receiver).filter((delivery) => delivery === lost.delivery_id)).toHaveLength(2)
    expect(receivedIds(receiver).filter((delivery) => delivery === done.delivery_id)).toHaveLength(1)
    const [sent, again] = receiver.received.filter(
      ({ headers }) => headers['x-service-delivery'] === lost.delivery_id,
    )
    expect(again?.body).toEqual(sent?.body)
    expect(again?.headers['x-service-signature']).toBe(sent?.headers['x-service-signature'])
    release()
  })

  test('D13.13 after a crash, a delivery is dropped if its webhook was deleted and another registered', async ({
    bus,
    database,
    receiver,
    orgId,
    startReplica,
  }) => {
    const { id } = await addWebhook(database.db, orgId, receiver.url)
    holdResponses(receiver)
    const doomed = await bus.connect()
    startReplica({}, doomed)
    await send(bus.broker, movedEvent(orgId))
    await expect.poll(() => receiver.received.length, SOON).toBe(1)
    await doomed.close()
    await deleteWebhook(database.db, orgId, id)
    await addWebhook(database.db, orgId, `${receiver.url}/second`)
    const second = startReplica()
    await expect.poll(() => second.counted, SOON).toEqual(['dropped: before_enabled'])
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
  })

  test('a delivery that waits longer in its lane is sent once, and is not redelivered', async ({
    bus,
    database,
    receiver,
    orgId,
    startReplica,
  }) => {
    await addWebhook(database.db, orgId, receiver.url)
    receiver.respondWith((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 1_500)
    })
    const { settled } = startReplica({ oneAtATime: [orgId], heartbeatMs: 500 })
    const events = [movedEvent(orgId), movedEvent(orgId), movedEvent(orgId)]
    for (const event of events) await send(bus.broker, event)
    await expect.poll(() => settled, SOON).toEqual(['ack', 'ack', 'ack'])
    expect(receivedIds(receiver)).toEqual(events.map((event) => event.delivery_id))
  })
})

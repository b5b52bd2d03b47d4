import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { expect, onTestFinished, test } from 'vitest'
import { connect, natsOf } from '../connect/connection.ts'
import { applyTopology } from '../connect/topology.ts'
import { consumePartitions } from '../consume/consume.ts'
import type { BatchConsumer } from '../consume/consumer.ts'
import { publish } from '../messages/publish.ts'
import { partitionOf, streamOf } from '../connect/numbers.ts'
import { OwnedPartitions } from './owned.ts'

const ORGANIZATIONS = 24
const until = { timeout: 20_000, interval: 20 }

type Handled = { org: number; n: number; by: string }

async function open(partitions: number): Promise<Bus> {
  const bus = await startBus({ partitions }, { partitioned: true })
  onTestFinished(() => bus.stop())
  return bus
}

/** Sends messages of all organizations, in the order of each. */
function sender(bus: Bus) {
  const sent = new Map<number, number>()
  return {
    sent,
    send: async (times = 1) => {
      for (let i = 0; i < times; i += 1)
        for (let org = 1; org <= ORGANIZATIONS; org += 1) {
          const n = (sent.get(org) ?? 0) + 1
          sent.set(org, n)
          await publish(bus.broker, { subject: `scans.${org}.gate.canonical`, payload: { n } })
        }
    },
  }
}

/** A consumer that notes what it handles. */
const noting = (
  by: string,
  handled: Handled[],
  before: () => Promise<unknown> = async () => undefined,
): BatchConsumer<Handled> => ({
  durable: 'tracking-ingest',
  maxMessages: 50,
  maxWaitMs: 0,
  fair: { groupOf: ({ subject }) => subject.split('.')[1] ?? '' },
  decode: ({ subject, data }) => ({
    org: Number(subject.split('.')[1]),
    n: JSON.parse(Buffer.from(data).toString()).n,
    by,
  }),
  async handle(messages) {
    await before()
    handled.push(...messages)
  },
})

/** A replica that notes what it handles, and can die with messages in work. */
async function replica(bus: Bus, by: string, handled: Handled[], handleMs = 0) {
  const broker = await connect({
    url: bus.server.url,
    ...bus.server.users.services,
    name: by,
    logger: bus.logger,
  })
  let isDead = false
  const consumer = noting(by, handled, async () => {
    if (handleMs > 0) await new Promise((resolve) => setTimeout(resolve, handleMs))
    if (isDead) await new Promise(() => undefined)
  })
  const owned = new OwnedPartitions(broker, {
    durable: 'tracking-ingest',
    log: bus.logger,
    consumers: [consumePartitions(broker, consumer, { logger: bus.logger, graceMs: 1_000 })],
  })
  const stop = async () => {
    await owned.stop()
    await broker.close()
  }
  onTestFinished(async () => {
    if (!isDead) await stop()
  })
  return {
    owned,
    stop,
    /** As SIGKILL: it says nothing, acknowledges nothing. */
    async die() {
      isDead = true
      await natsOf(broker).close()
      void owned.stop()
    },
  }
}

/** The highest message of each organization, and whether any came after a later one. A message may come again. */
function ordered(handled: readonly Handled[]) {
  const highest = new Map<number, number>()
  const wrong: Handled[] = []
  for (const one of handled) {
    const before = highest.get(one.org) ?? 0
    if (one.n > before + 1) wrong.push(one)
    highest.set(one.org, Math.max(before, one.n))
  }
  return { highest, wrong }
}

test('the broker stores the scans of an organization in the stream of its number', async () => {
  const bus = await open(4)
  for (let org = 1; org <= 200; org += 1) {
    const { stream } = await publish(bus.broker, { subject: `scans.${org}.gate.canonical`, payload: {} })
    expect(stream).toBe(streamOf('SCANS', partitionOf(org, 4)))
  }
})

test('with one partition replicas share the stream, numbered or not', async () => {
  const bus = await open(1)
  const handled: Handled[] = []
  const [a, b] = [await replica(bus, 'a', handled), await replica(bus, 'b', handled)]
  const { send, sent } = sender(bus)
  await send(3)
  await expect.poll(() => handled.length, until).toBe(3 * ORGANIZATIONS)
  expect(ordered(handled).highest).toEqual(sent)
  expect([a.owned.partitions, b.owned.partitions]).toEqual([[undefined], [undefined]])
})

test('replicas share partitions evenly, and those that come and leave move them without a loss or a change of order', async () => {
  const bus = await open(8)
  const handled: Handled[] = []
  const { send, sent } = sender(bus)
  const replicas = [await replica(bus, 'a', handled)]
  for (let round = 0; round < 3; round += 1) {
    const next = await replica(bus, `b${round}`, handled)
    replicas.push(next)
    await expect.poll(() => replicas.map(({ owned }) => owned.partitions.length), until).toEqual([4, 4])
    await send(5)
    await replicas.shift()?.stop()
    await send(5)
    await expect.poll(() => next.owned.partitions.length, until).toBe(8)
    await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
  }
  expect(ordered(handled).wrong).toEqual([])
})

test('partitions share batches, and each is left and taken again while the others go on', async () => {
  const bus = await open(4)
  const handled: Handled[] = []
  const batches: Set<number>[] = []
  const { send, sent } = sender(bus)
  const consumer = noting('a', handled)
  const consumption = consumePartitions(
    bus.broker,
    {
      ...consumer,
      async handle(messages, context) {
        batches.push(new Set(messages.map(({ org }) => partitionOf(org, 4))))
        await consumer.handle(messages, context)
      },
    },
    { logger: bus.logger },
  )
  await send(3)
  const parts = [0, 1, 2, 3].map((partition) => consumption.add(partition))
  await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
  expect(Math.max(...batches.map(({ size }) => size))).toBeGreaterThan(1)
  for (const left of [0, 1, 2, 3]) {
    await parts[left]?.stop()
    const before = new Map(sent)
    await send(3)
    const wanted = new Map(
      [...sent].map(([org, n]) => [org, partitionOf(org, 4) === left ? before.get(org) : n]),
    )
    await expect.poll(() => ordered(handled).highest, until).toEqual(wanted)
    parts[left] = consumption.add(left)
    await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
  }
  expect(ordered(handled).wrong).toEqual([])
  expect(handled).toHaveLength(5 * 3 * ORGANIZATIONS)
  await consumption.stop()
})

test('a partition that is left with a batch in work waits for the batch, and the next owner gets the rest in order at once', async () => {
  const bus = await open(4)
  for (const left of [0, 1, 2]) {
    const handled: Handled[] = []
    const { send, sent } = sender(bus)
    const gate = Promise.withResolvers<void>()
    const first = consumePartitions(
      bus.broker,
      { ...noting('first', handled, () => gate.promise), maxMessages: 20 },
      { logger: bus.logger },
    )
    const parts = [0, 1, 2, 3].map((partition) => first.add(partition))
    const jsm = await natsOf(bus.broker).jetstreamManager()
    const held = async () =>
      (await jsm.consumers.info(streamOf('SCANS', left), 'tracking-ingest')).num_ack_pending
    await send(4)
    await expect.poll(held, until).toBeGreaterThan(0)
    const stopped = parts[left]?.stop()
    gate.resolve()
    await stopped
    const next = consumePartitions(bus.broker, noting('next', handled), { logger: bus.logger })
    next.add(left)
    const leftAt = Date.now()
    await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
    expect(Date.now() - leftAt).toBeLessThan(3_000)
    expect(ordered(handled).wrong).toEqual([])
    expect(handled).toHaveLength(4 * ORGANIZATIONS)
    await Promise.all([first.stop(), next.stop()])
  }
})

test('a replica that dies with messages in work loses none, and the next one handles them first', async () => {
  const bus = await open(4)
  const handled: Handled[] = []
  const { send, sent } = sender(bus)
  let dying = await replica(bus, 'a', handled, 100)
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(() => dying.owned.partitions.length, until).toBe(4)
    await send(4)
    await expect.poll(() => handled.length, until).toBeGreaterThan(0)
    const next = await replica(bus, `b${round}`, handled, 100)
    const sending = send(2)
    await dying.die()
    const diedAt = Date.now()
    await sending
    await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
    expect(Date.now() - diedAt).toBeLessThan(20_000)
    expect(ordered(handled).wrong).toEqual([])
    dying = next
  }
}, 120_000)

test('partitions that are doubled while scans arrive keep the order of each organization', async () => {
  const bus = await open(1)
  const handled: Handled[] = []
  const { send, sent } = sender(bus)
  await send(3)
  for (const partitions of [2, 8]) {
    await applyTopology(bus.brokers, { partitions })
    await send(2)
  }
  await applyTopology(bus.brokers) // never fewer
  await replica(bus, 'a', handled)
  await expect.poll(() => ordered(handled).highest, until).toEqual(sent)
  expect(ordered(handled).wrong).toEqual([])
  await applyTopology(bus.brokers, { partitions: 16 })
  await send(2)
  await expect.poll(() => ordered(handled).highest, { ...until, timeout: 40_000 }).toEqual(sent)
  expect(ordered(handled).wrong).toEqual([])
}, 120_000)

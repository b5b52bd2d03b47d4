import { eventually } from '@whereabouts/testing/eventually'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { expect, vi } from 'vitest'
import { natsOf, type Broker } from '../connect/connection.ts'
import { consumeBatches } from './consume.ts'
import type { FairShare } from './consumer.ts'
import type { IncomingMessage } from '../messages/delivery.ts'
import { Overflow } from './overflow.ts'
import { publishMany } from '../messages/publish.ts'

const test = busTest.extend({ topology: { ackWaitMs: 1_000 } })

type Handled = { org: string; n: number; by: 'ingest' | 'overflow'; subject: string; receivedAt: number }

const groupOf: FairShare['groupOf'] = ({ subject }) => subject.split('.')[1] ?? ''
const numberOf = ({ data }: IncomingMessage) => Number(Buffer.from(data).toString().trim())
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** Numbered messages of an organization, each padded to `bytes`. */
async function send({ broker }: Bus, org: number, numbers: readonly number[], bytes = 8_192) {
  const results = await publishMany(
    broker,
    numbers.map((n) => ({
      subject: `scans.${org}.gate.canonical`,
      payload: Buffer.from(String(n).padEnd(bytes)),
    })),
  )
  expect(results.every(({ ok }) => ok)).toBe(true)
}

/** Consumes the two durables like tracking: ingest, which can be paused, and OVERFLOW. */
async function start(
  bus: Bus,
  broker: Broker = bus.broker,
  onStored?: () => void,
  more: Partial<FairShare> = {},
) {
  const handled: Handled[] = []
  let gate: Promise<unknown> = Promise.resolve()
  const overflow = new Overflow(broker, { logger: bus.logger, afterMs: 0, ...(onStored && { onStored }) })
  await overflow.add(undefined)
  const consume = (by: Handled['by'], fair: FairShare, before: (orgs: string[]) => Promise<unknown>) =>
    consumeBatches<Handled>(
      broker,
      {
        durable: by === 'ingest' ? 'tracking-ingest' : 'tracking-overflow',
        maxMessages: 500,
        maxBytes: 256 * 1024,
        maxWaitMs: 5,
        retryDelaysMs: [10],
        fair,
        decode: (message) => {
          const { subject, receivedAt } = message
          return { org: groupOf(message), n: numberOf(message), by, subject, receivedAt }
        },
        async handle(messages) {
          await before(messages.map(({ org }) => org))
          handled.push(...messages)
        },
      },
      { logger: bus.logger, graceMs: 1_000 },
    )
  const { signal } = new AbortController()
  const ingest = consume('ingest', { groupOf, overflow, ...more }, () => gate)
  const work: { stop(): Promise<void> }[] = []
  return {
    handled,
    overflow,
    of: (org: number) => handled.filter((one) => one.org === String(org)),
    /** Pauses ingest until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    workOff(): void {
      work.push(consume('overflow', { groupOf }, (orgs) => overflow.turn(orgs, signal)))
    },
    async stop(): Promise<void> {
      await Promise.all([ingest.stop(), ...work.map((one) => one.stop()), overflow.stop()])
    },
  }
}

async function storedIn({ broker }: Bus, stream: string): Promise<number> {
  const jsm = await natsOf(broker).jetstreamManager()
  return (await jsm.streams.info(stream)).state.messages
}

async function unsettled({ broker }: Bus): Promise<number> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { num_pending, num_ack_pending } = await jsm.consumers.info('SCANS', 'tracking-ingest')
  return num_pending + num_ack_pending
}

test('a flood is moved to OVERFLOW and handled in order, with subject and time of its reception', async ({
  bus,
}) => {
  const before = Date.now()
  const tracking = await start(bus)
  const release = tracking.hold()
  await send(bus, 2, [1])
  await send(bus, 1, range(1, 300))
  await eventually(async () => expect(await storedIn(bus, 'OVERFLOW')).toBeGreaterThan(100))
  const moved = Date.now()
  // In the stream it comes after the flood; in the process it comes first.
  await send(bus, 2, [2])
  await eventually(async () => expect(await unsettled(bus)).toBeLessThan(200))
  release()
  await eventually(() => expect(tracking.of(2)).toHaveLength(2))
  const inMemory = tracking.of(1).length
  expect(inMemory).toBeLessThan(200)
  // While OVERFLOW has messages of an organization, its new messages go there too. Those of others do not.
  await send(bus, 1, [301])
  await send(bus, 2, [3])
  await eventually(() => expect(tracking.of(2)).toHaveLength(3))
  tracking.workOff()
  await eventually(() => expect(tracking.of(1)).toHaveLength(301))
  expect(tracking.of(1).map(({ n }) => n)).toEqual(range(1, 301))
  expect(tracking.of(1).at(-1)).toMatchObject({ by: 'overflow', subject: 'scans.1.gate.canonical' })
  expect(tracking.of(2).every(({ by }) => by === 'ingest')).toBe(true)
  for (const { receivedAt } of tracking.of(1).slice(0, 300)) {
    expect(receivedAt).toBeGreaterThanOrEqual(before - 1_000)
    expect(receivedAt).toBeLessThanOrEqual(moved)
  }
  await eventually(() => expect(tracking.overflow.isOpen('1')).toBe(false))
  await send(bus, 1, [302])
  await eventually(() => expect(tracking.of(1).at(-1)).toMatchObject({ n: 302, by: 'ingest' }))
  await tracking.stop()
})

test('messages of a single active organization are never moved', async ({ bus }) => {
  const tracking = await start(bus)
  const release = tracking.hold()
  await send(bus, 1, range(1, 400))
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const arrived = async () => (await jsm.consumers.info('SCANS', 'tracking-ingest')).num_ack_pending
  await eventually(async () => expect(await arrived()).toBe(400))
  expect(await storedIn(bus, 'OVERFLOW')).toBe(0)
  release()
  await eventually(() => expect(tracking.of(1).map(({ n }) => n)).toEqual(range(1, 400)))
  await tracking.stop()
})

test('while OVERFLOW is full, messages are held, and none is lost', async ({ bus }) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.update('OVERFLOW', { max_bytes: 400_000 })
  const tracking = await start(bus)
  const release = tracking.hold()
  await send(bus, 2, [1])
  await send(bus, 1, range(1, 300))
  await eventually(() =>
    expect(bus.log.map(({ text }) => text)).toContain('OVERFLOW refused messages; they are held'),
  )
  const { config, state } = await jsm.streams.info('OVERFLOW')
  expect(state.bytes).toBeLessThanOrEqual(config.max_bytes)
  expect((await unsettled(bus)) + state.messages).toBe(301)
  release()
  tracking.workOff()
  await vi.waitFor(() => expect(tracking.of(1).map(({ n }) => n)).toEqual(range(1, 300)), { timeout: 15_000 })
  expect(await unsettled(bus)).toBe(0)
  await tracking.stop()
})

test('messages of a group that must wait are moved in their order, also from a queue, and while nobody else is active', async ({
  bus,
}) => {
  const costly = new Set<string>()
  const tracking = await start(bus, bus.broker, undefined, {
    mustWait: ({ subject }) => costly.has(groupOf({ subject })),
  })
  for (const round of [0, 1, 2]) {
    const release = tracking.hold()
    costly.clear()
    const first = round * 200
    await send(bus, 1, range(first + 1, first + 40))
    costly.add('1')
    await send(bus, 1, range(first + 41, first + 200))
    release()
    if (round === 0) tracking.workOff()
    await eventually(() => expect(tracking.of(1)).toHaveLength(first + 200))
    await eventually(async () => expect(await unsettled(bus)).toBe(0))
  }
  expect(tracking.of(1).map(({ n }) => n)).toEqual(range(1, 600))
  expect(tracking.of(1).filter(({ by }) => by === 'overflow').length).toBeGreaterThan(3 * 100)
  await tracking.stop()
})

test('a group may store as much as is free: one half of OVERFLOW, and then less while others store too', async ({
  bus,
}) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.update('OVERFLOW', { max_bytes: 2 * 1024 * 1024 })
  const tracking = await start(bus, bus.broker, undefined, { mustWait: () => true })
  const isUsed = () => tracking.overflow.isShareUsed('1')
  await send(bus, 1, range(1, 60))
  await eventually(async () => expect(await storedIn(bus, 'OVERFLOW')).toBeGreaterThan(50))
  expect(isUsed()).toBe(false)
  await send(bus, 1, range(61, 160))
  await eventually(() => expect(isUsed()).toBe(true))
  expect(tracking.overflow.isShareUsed('2')).toBe(false)
  tracking.workOff()
  await eventually(() => expect(isUsed()).toBe(false))
  await tracking.stop()
})

test('a crash between storing and acknowledging loses nothing and stores nothing twice', async ({ bus }) => {
  const dying = await bus.connect()
  const dead = Promise.withResolvers<void>()
  const first = await start(bus, dying, () => {
    void dying.close()
    dead.resolve()
  })
  first.hold()
  await send(bus, 2, [1])
  await send(bus, 1, range(1, 200))
  await dead.promise
  await first.stop()
  const stored = await storedIn(bus, 'OVERFLOW')
  expect(stored).toBeGreaterThan(0)
  expect(await unsettled(bus)).toBe(201) // it died before the first acknowledgement
  const successor = await start(bus)
  const release = successor.hold()
  // They are redelivered and moved again, with ids that OVERFLOW knows. Then each message is in one of the two streams.
  await vi.waitFor(async () => expect((await unsettled(bus)) + (await storedIn(bus, 'OVERFLOW'))).toBe(201), {
    timeout: 15_000,
  })
  release()
  successor.workOff()
  await vi.waitFor(async () => expect(await unsettled(bus)).toBe(0), { timeout: 15_000 })
  await eventually(async () => expect(await storedIn(bus, 'OVERFLOW')).toBe(0))
  // Messages that were stored before the crash come first: after a crash, order is not guaranteed.
  const seen = successor.of(1).map(({ n }) => n)
  expect(seen.toSorted((left, right) => left - right)).toEqual(range(1, 200))
  expect(successor.of(2)).toHaveLength(1)
  await successor.stop()
})

test('a new replica knows from its start which organizations have messages in OVERFLOW', async ({ bus }) => {
  const first = await start(bus)
  first.hold()
  await send(bus, 2, [1])
  await send(bus, 1, range(1, 200))
  await eventually(async () => expect(await storedIn(bus, 'OVERFLOW')).toBeGreaterThan(0))
  const second = await start(bus, await bus.connect())
  expect([second.overflow.isOpen('1'), second.overflow.isOpen('2')]).toEqual([true, false])
  await Promise.all([first.stop(), second.stop()])
})

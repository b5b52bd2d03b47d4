import { eventually } from '@whereabouts/testing/eventually'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { natsOf } from '../connect/connection.ts'
import { consume, consumeBatches } from './consume.ts'
import type { BatchConsumer, Consumption, MessageConsumer } from './consumer.ts'
import { listDeadLetters } from '../dead-letters/dead-letters.fixture.ts'
import type { IncomingMessage } from '../messages/delivery.ts'
import { deadLetterExhausted } from './exhausted.ts'
import { publish, publishMany } from '../messages/publish.ts'
import { PoisonError } from './settle.ts'
import { MAX_DELIVER } from '../connect/topology.ts'
import { currentTrace } from '@whereabouts/service-kit/observe/trace'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

async function publishNumbers({ broker }: Bus, subject: string, numbers: readonly number[]): Promise<void> {
  const results = await publishMany(
    broker,
    numbers.map((n) => ({ subject, payload: n })),
  )
  expect(results.every((result) => result.ok)).toBe(true)
}
const scans = (bus: Bus, numbers: readonly number[]) =>
  publishNumbers(bus, 'scans.7.reader.canonical', numbers)
const events = (bus: Bus, numbers: readonly number[]) => publishNumbers(bus, 'events.asset-moved.7', numbers)

const number = ({ data }: IncomingMessage) => Number(Buffer.from(data).toString())
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

type Batches = Partial<BatchConsumer<number>> & Pick<BatchConsumer<number>, 'handle'>
type Singles = Partial<MessageConsumer<number>> & Pick<MessageConsumer<number>, 'handle'>

/** A consumption and its counts by outcome. */
function counted(start: (metrics: { handled(outcome: string, count: number): void }) => Consumption) {
  const counts: Record<string, number> = {}
  const handled = (outcome: string, count: number) => {
    counts[outcome] = (counts[outcome] ?? 0) + count
  }
  return { ...start({ handled }), counts }
}

const batches = (bus: Bus, consumer: Batches, { broker = bus.broker, graceMs = 5_000 } = {}) =>
  counted((metrics) => {
    const policy = {
      durable: 'tracking-ingest',
      maxMessages: 100,
      maxWaitMs: 5,
      retryDelaysMs: [10, 10],
    } as const
    return consumeBatches(
      broker,
      { ...policy, decode: number, ...consumer },
      { logger: bus.logger, metrics, graceMs },
    )
  })

const singles = (bus: Bus, consumer: Singles, { broker = bus.broker, graceMs = 5_000 } = {}) =>
  counted((metrics) => {
    const policy = { durable: 'webhook-dispatcher-events', retryDelaysMs: [10, 10] } as const
    return consume(
      broker,
      { ...policy, decode: number, ...consumer },
      { logger: bus.logger, metrics, graceMs },
    )
  })

const never = () => new Promise<void>(() => {})

test('every message is handled once, in order, in batches of at most maxMessages', async ({ bus }) => {
  await scans(bus, range(1, 450))
  const seen: number[] = []
  const sizes: number[] = []
  const consumption = batches(bus, {
    async handle(messages) {
      sizes.push(messages.length)
      seen.push(...messages)
    },
  })
  await eventually(() => expect(consumption.counts['ack']).toBe(450))
  await consumption.stop()
  expect(seen).toEqual(range(1, 450))
  expect(Math.max(...sizes)).toBe(100)
})

test('a batch that is not full closes after maxWaitMs', async ({ bus }) => {
  const sizes: number[] = []
  const consumption = batches(bus, { handle: async (messages) => void sizes.push(messages.length) })
  await scans(bus, range(1, 3))
  await eventually(() => expect(consumption.counts['ack']).toBe(3))
  await consumption.stop()
  expect(sizes.length).toBeLessThanOrEqual(3)
})

test.for([
  [false, [1, 2]],
  [true, [2]],
] as const)(
  'a message after a pause waits for a full batch only with alwaysWaits: %s',
  async ([alwaysWaits, expected], { bus }) => {
    const sizes: number[] = []
    const consumption = batches(bus, {
      maxMessages: 2,
      maxWaitMs: 60_000,
      alwaysWaits,
      handle: async (messages) => void sizes.push(messages.length),
    })
    let sent = 0
    for (const size of expected) {
      for (let i = 0; i < size; i += 1) await scans(bus, range(++sent, sent))
      await eventually(() => expect(consumption.counts['ack']).toBe(sent))
    }
    expect(sizes).toEqual(expected)
    await consumption.stop()
  },
)

test('the broker keeps the messages that a busy consumer cannot take', async ({ bus }) => {
  await scans(bus, range(1, 1_000))
  const started = vi.fn<() => Promise<void>>(never)
  const consumption = batches(bus, { maxMessages: 10, handle: started }, { graceMs: 0 })
  await eventually(() => expect(started).toHaveBeenCalledOnce())
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const held = async () => (await jsm.consumers.info('SCANS', 'tracking-ingest')).num_ack_pending
  await eventually(async () => expect(await held()).toBeGreaterThanOrEqual(20))
  for (let sample = 1; sample <= 20; sample += 1) expect(await held()).toBeLessThanOrEqual(30) // three batches
  await consumption.stop()
})

test('a batch ends with the message that reaches maxBytes', async ({ bus }) => {
  await scans(bus, range(1_001, 1_010)) // of four bytes each
  const sizes: number[] = []
  const consumption = batches(bus, {
    maxBytes: 10,
    handle: async (messages) => void sizes.push(messages.length),
  })
  await eventually(() => expect(consumption.counts['ack']).toBe(10))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(3)
  await consumption.stop()
})

test('the next batch is decoded while the current one is handled, and stop() requeues it at once', async ({
  bus,
}) => {
  await scans(bus, range(1, 20))
  const decoded: number[] = []
  const handled: number[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const consumption = batches(bus, {
    maxMessages: 10,
    decode: (message) => {
      decoded.push(number(message))
      return number(message)
    },
    handle: async (messages) => {
      handled.push(...messages)
      await released
    },
  })
  await eventually(() => expect(decoded).toEqual(range(1, 20)))
  expect(handled).toEqual(range(1, 10))
  const stopped = consumption.stop()
  await eventually(() => expect(consumption.counts['return']).toBe(10))
  expect(consumption.counts['ack']).toBeUndefined()
  release()
  await stopped
  expect(handled).toEqual(range(1, 10))
  expect(consumption.counts).toEqual({ ack: 10, return: 10 })
})

test('a consumer holds a bounded number of bytes, and all large messages arrive in the end', async ({
  bus,
}) => {
  const kilobytes = 250
  const body = 'x'.repeat(kilobytes * 1024)
  for (let i = 0; i < 220; i += 1)
    await publish(bus.broker, { subject: 'scans.7.reader.canonical', payload: body })
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const held = async () => (await jsm.consumers.info('SCANS', 'tracking-ingest')).num_ack_pending
  let seen = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const consumption = batches(bus, {
    maxMessages: 100,
    maxBytes: 1024 * 1024,
    handle: async (messages) => {
      await released
      seen += messages.length
    },
  })
  await eventually(async () => expect(await held()).toBeGreaterThanOrEqual(17))
  for (let sample = 1; sample <= 20; sample += 1) expect(await held()).toBeLessThanOrEqual(49) // 2 × 4 MiB and two batches
  release()
  await vi.waitFor(() => expect(seen).toBe(220), { timeout: 20_000 })
  await consumption.stop()
})

test('a message that the decoder refuses becomes a dead letter, and the rest of its batch is handled', async ({
  bus,
}) => {
  const seen: number[] = []
  const consumption = batches(bus, {
    decode(message) {
      if (number(message) === 2) throw new PoisonError('two is not a number\r\ninjected: header')
      return number(message)
    },
    handle: async (messages) => void seen.push(...messages),
  })
  await scans(bus, range(1, 4))
  await eventually(() => expect(consumption.counts).toEqual({ ack: 3, bury: 1 }))
  await consumption.stop()
  expect(ascending(seen)).toEqual([1, 3, 4])
  const letters = await listDeadLetters(bus.broker, 10)
  expect(letters).toMatchObject([
    {
      original_subject: 'scans.7.reader.canonical',
      stream: 'SCANS',
      durable: 'tracking-ingest',
      stream_seq: 2,
      delivery_count: 1,
      reason: 'two is not a number injected: header',
      truncated: false,
    },
  ])
  expect(Buffer.from(letters[0]?.payload ?? []).toString()).toBe('2')
  expect(bus.log.filter(({ text }) => text === 'message moved to the dead letters')).toHaveLength(1)
})

test('of many unreadable messages of an organization 100 are kept, and all of another are', async ({
  bus,
}) => {
  const consumption = batches(bus, {
    decode() {
      throw new PoisonError('not a number')
    },
    handle: async () => undefined,
  })
  await scans(bus, range(1, 300))
  await publishNumbers(bus, 'scans.8.reader.canonical', [1, 2])
  await eventually(() => expect(consumption.counts['bury']).toBe(302))
  const of = (letters: { original_subject: string }[], org: number) =>
    letters.filter(({ original_subject }) => original_subject.startsWith(`scans.${org}.`)).length
  const letters = await listDeadLetters(bus.broker, 500)
  expect(of(letters, 8)).toBe(2)
  expect(of(letters, 7)).toBe(100)
  expect(letters[0]?.seq, 'few more were stored and evicted').toBeLessThan(120)
  await consumption.stop()
})

test('dead letters of one organization share log lines: the first at once, the others as a count', async ({
  bus,
}) => {
  const consumption = batches(bus, {
    decode() {
      throw new PoisonError('not a number')
    },
    handle: async () => undefined,
  })
  await scans(bus, range(1, 250))
  await eventually(() => expect(consumption.counts).toEqual({ bury: 250 }))
  await consumption.stop()
  const lines = bus.log.filter(({ text }) => text === 'message moved to the dead letters')
  expect(lines).toMatchObject([{ count: 1 }, { count: 249 }])
})

test('a failed batch is handled one by one, and only the bad message is retried and becomes a dead letter', async ({
  bus,
}) => {
  await scans(bus, range(1, 50))
  const stored = new Set<number>()
  const attempts: number[] = []
  const consumption = batches(bus, {
    async handle(messages) {
      if (messages.length === 1) attempts.push(...messages)
      if (messages.includes(13)) throw new Error('thirteen')
      for (const message of messages) stored.add(message)
    },
  })
  await eventually(() => expect(consumption.counts).toMatchObject({ ack: 49, nak: 2, bury: 1 }))
  await consumption.stop()
  expect(stored.size).toBe(49)
  expect(attempts.filter((message) => message === 13)).toHaveLength(3)
  expect(await listDeadLetters(bus.broker, 10)).toMatchObject([
    { stream_seq: 13, reason: 'retries exhausted', delivery_count: 3 },
  ])
})

test('an outage holds messages, uses up no deliveries and makes no dead letters', async ({ bus }) => {
  await scans(bus, range(1, 20))
  let failures = 0
  const outage = new Error('database is down')
  const seen: number[] = []
  const consumption = batches(bus, {
    retryDelaysMs: [],
    isOutage: (error) => error === outage,
    async handle(messages) {
      failures += 1
      if (failures <= 3) throw outage
      seen.push(...messages)
    },
  })
  await vi.waitFor(() => expect(consumption.counts).toEqual({ ack: 20 }), 10_000)
  await consumption.stop()
  expect(seen).toEqual(range(1, 20))
})

test('stop() during an outage requeues the messages', async ({ bus }) => {
  await scans(bus, range(1, 20))
  const failing = batches(bus, {
    isOutage: () => true,
    handle: () => Promise.reject(new Error('database is down')),
  })
  await eventually(() => expect(bus.log.some(({ text }) => text.includes('outage'))).toBe(true))
  await failing.stop()
  expect(failing.counts).toEqual({ return: 20 })
  const next = batches(bus, { handle: async () => {} })
  await eventually(() => expect(next.counts).toEqual({ ack: 20 }))
  await next.stop()
})

test('stop() requeues waiting messages at once and lets the running batch finish', async ({ bus }) => {
  await scans(bus, range(1, 40))
  const first: number[] = []
  const gate = Promise.withResolvers<void>()
  const consumption = batches(bus, {
    maxMessages: 10,
    async handle(messages) {
      first.push(...messages)
      await gate.promise
    },
  })
  await eventually(() => expect(first).toHaveLength(10))
  const stopped = consumption.stop()
  const others: number[] = []
  const replica = batches(bus, { handle: async (messages) => void others.push(...messages) })
  // Long before the broker would redeliver by itself, after 30 s.
  await eventually(() => expect(ascending(others)).toEqual(range(11, 40)))
  gate.resolve()
  await stopped
  expect(consumption.counts['ack']).toBe(10)
  await replica.stop()
  expect(first).toEqual(range(1, 10))
})

test('a handler that exceeds the grace period is aborted, and its messages are requeued', async ({ bus }) => {
  await events(bus, [1])
  const aborted = vi.fn<() => void>()
  const started = vi.fn<() => void>()
  const consumption = singles(
    bus,
    {
      handle(_message, { signal }) {
        started()
        signal.addEventListener('abort', aborted)
        return never()
      },
    },
    { graceMs: 50 },
  )
  await eventually(() => expect(started).toHaveBeenCalled())
  await consumption.stop()
  expect(aborted).toHaveBeenCalled()
  expect(consumption.counts).toEqual({ return: 1 })
  const next = singles(bus, { handle: async () => {} })
  await eventually(() => expect(next.counts).toEqual({ ack: 1 }))
  await next.stop()
})

test('single messages start in order of arrival, with bounded concurrency, and are retried', async ({
  bus,
}) => {
  await events(bus, range(1, 30))
  const begun: number[] = []
  let running = 0
  let most = 0
  const consumption = singles(bus, {
    concurrency: 4,
    async handle(message) {
      begun.push(message)
      most = Math.max(most, (running += 1))
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (message === 5) throw new Error('five')
    },
  })
  await eventually(() => expect(consumption.counts).toEqual({ ack: 29, nak: 2, bury: 1 }))
  await consumption.stop()
  expect(most).toBe(4)
  expect(begun.filter((message, i) => message !== 5 || begun.indexOf(5) === i)).toEqual(range(1, 30))
})

test('a handler runs in the trace of the message and has its request id', async ({ bus }) => {
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', request_id: 'R1' }
  await publishMany(bus.broker, [{ subject: 'events.asset-moved.7', payload: 1, headers }])
  const traces: unknown[] = []
  const consumption = singles(bus, { handle: async () => void traces.push(currentTrace()) })
  await eventually(() => expect(traces).toHaveLength(1))
  await consumption.stop()
  expect(traces[0]).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', requestId: 'R1' })
})

test('a message whose handlers never report becomes a dead letter before the broker gives it up', async ({
  bus,
}) => {
  await scans(bus, [1])
  const durable = await natsOf(bus.broker).jetstream().consumers.get('SCANS', 'tracking-ingest')
  for (let delivery = 1; delivery < MAX_DELIVER; delivery += 1)
    (await durable.next({ expires: 5_000 }))?.nak()
  const handle = vi.fn<() => Promise<void>>()
  const consumption = batches(bus, { handle })
  await eventually(() => expect(consumption.counts).toEqual({ bury: 1 }))
  await consumption.stop()
  expect(handle).not.toHaveBeenCalled()
  expect(await listDeadLetters(bus.broker, 1)).toMatchObject([{ delivery_count: MAX_DELIVER }])
})

test('messages that the broker gave up become dead letters too, with one log line per organization', async ({
  bus,
}) => {
  const stop = deadLetterExhausted(bus.broker, {
    stream: 'SCANS',
    durable: 'tracking-ingest',
    deadLetters: bus.broker,
    logger: bus.logger,
  })
  await scans(bus, [1, 2, 3])
  await publishNumbers(bus, 'scans.8.reader.canonical', [4])
  const durable = await natsOf(bus.broker).jetstream().consumers.get('SCANS', 'tracking-ingest')
  for (let delivery = 1; delivery <= 4 * MAX_DELIVER; delivery += 1)
    (await durable.next({ expires: 5_000 }))?.nak()
  await durable.next({ expires: 1_000 }) // nothing comes: the broker notices its limit on the next request
  await vi.waitFor(async () => {
    const letters = await listDeadLetters(bus.broker, 9)
    expect(ascending(letters.map(({ stream_seq }) => stream_seq))).toEqual(range(1, 4))
  }, 5_000)
  stop()
  const lines = bus.log.filter(({ text }) => text.startsWith('message given up'))
  expect(ascending(lines.map(({ count }) => Number(count)))).toEqual([1, 1, 2])
})

test.describe('with a short ack wait', () => {
  test.override({ topology: { ackWaitMs: 500 } })

  test('after a crash before the acknowledgement another replica gets the messages', async ({ bus }) => {
    await scans(bus, range(1, 5))
    const crashing = await bus.connect()
    const begun = vi.fn<() => Promise<void>>(never)
    batches(bus, { handle: begun }, { broker: crashing })
    await eventually(() => expect(begun).toHaveBeenCalled())
    await crashing.close() // no verdict was sent, as after SIGKILL
    const seen: number[] = []
    const counts: number[] = []
    const replica = batches(bus, {
      decode(message) {
        counts.push(message.deliveryCount)
        return number(message)
      },
      handle: async (messages) => void seen.push(...messages),
    })
    await vi.waitFor(() => expect(ascending(seen)).toEqual(range(1, 5)), 5_000)
    await replica.stop()
    expect(counts).toEqual([2, 2, 2, 2, 2])
  })

  test('working() keeps a slow message from being delivered twice', async ({ bus }) => {
    await events(bus, [1])
    const gate = Promise.withResolvers<void>()
    const begun: number[] = []
    const consumption = singles(bus, {
      async handle(message, { working }) {
        begun.push(message)
        const timer = setInterval(working, 100)
        await gate.promise
        clearInterval(timer)
      },
    })
    await eventually(() => expect(begun).toEqual([1]))
    const waited = Date.now() + 1_500
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(waited), 5_000) // three times the ack wait
    gate.resolve()
    await eventually(() => expect(consumption.counts).toEqual({ ack: 1 }))
    await consumption.stop()
    expect(begun).toEqual([1])
  })

  test('consumption continues after the broker was killed and restarted', async ({ bus }) => {
    const seen = new Set<number>()
    const consumption = batches(bus, {
      async handle(messages) {
        for (const message of messages) seen.add(message)
      },
    })
    await scans(bus, range(1, 100))
    await eventually(() => expect(seen.size).toBe(100))
    await bus.server.kill()
    await bus.server.restart()
    await vi.waitFor(() => expect(bus.broker.isConnected()).toBe(true), 10_000)
    await scans(bus, range(101, 200))
    await vi.waitFor(() => expect(ascending([...seen])).toEqual(range(1, 200)), 15_000)
    await consumption.stop()
  })
})

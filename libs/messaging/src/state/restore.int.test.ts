import { expect } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { natsOf, type Broker } from '../connect/connection.ts'
import { consume } from '../consume/consume.ts'
import { publishMany } from '../messages/publish.ts'
import { emptyStream, readStream, rewindDurable, type Stored } from './restore.ts'
import type { StreamName } from '../connect/topology.ts'

async function put(broker: Broker, subject: string, count: number, first = 0): Promise<void> {
  const messages = Array.from({ length: count }, (_, i) => ({ subject, payload: { n: first + i } }))
  expect((await publishMany(broker, messages)).every(({ ok }) => ok)).toBe(true)
}

async function readAll({ broker }: Bus, stream: StreamName): Promise<Stored[]> {
  const all: Stored[] = []
  for await (const batch of readStream(broker, stream)) all.push(...batch)
  return all
}

/** Takes `count` messages and acknowledges them. */
async function take({ broker, logger }: Bus, count: number): Promise<number[]> {
  const taken: number[] = []
  const enough = Promise.withResolvers<void>()
  const run = consume<number>(
    broker,
    {
      durable: 'tracking-ingest',
      retryDelaysMs: [],
      decode: ({ data }) => (JSON.parse(Buffer.from(data).toString()) as { n: number }).n,
      async handle(n) {
        taken.push(n)
        if (taken.length >= count) enough.resolve()
      },
    },
    { logger },
  )
  await enough.promise
  await run.stop()
  return taken
}

test('a whole stream is read in order, over many batches; payloads that are not JSON are skipped', async ({
  bus,
}) => {
  await put(bus.broker, 'scans.1.gate.canonical', 1_234)
  await publishMany(bus.broker, [{ subject: 'scans.1.gate.canonical', payload: Buffer.from('{') }])
  const all = await readAll(bus, 'SCANS')
  expect(all.map(({ payload }) => payload)).toEqual(Array.from({ length: 1_234 }, (_, n) => ({ n })))
  expect(all[0]?.subject).toBe('scans.1.gate.canonical')
})

test('an empty, an emptied and a missing stream have no messages', async ({ bus }) => {
  expect(await readAll(bus, 'KEYS')).toEqual([])
  await put(bus.broker, 'keys.org.1', 1)
  await emptyStream(bus.broker, 'KEYS')
  expect(await readAll(bus, 'KEYS')).toEqual([])
  await (await natsOf(bus.broker).jetstreamManager()).streams.delete('KEYS')
  expect(await readAll(bus, 'KEYS')).toEqual([])
})

test('a rewound durable delivers all messages again, or those since a time', async ({ bus }) => {
  await put(bus.broker, 'scans.1.gate.canonical', 2)
  expect(await take(bus, 2)).toEqual([0, 1])
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const { time } = await jsm.streams.getMessage('SCANS', { seq: 2 })
  await put(bus.broker, 'scans.1.gate.canonical', 1, 2)
  expect(await take(bus, 1)).toEqual([2])
  await rewindDurable(bus.broker, 'tracking-ingest')
  expect(await take(bus, 3)).toEqual([0, 1, 2])
  await rewindDurable(bus.broker, 'tracking-ingest', new Date(time.getTime() + 1))
  expect((await take(bus, 1)).at(-1)).toBe(2)
})

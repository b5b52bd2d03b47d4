import { eventually } from '@whereabouts/testing/eventually'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { natsOf } from '../connect/connection.ts'
import { consumeBatches } from './consume.ts'

const test = busTest.extend({ topology: { ackWaitMs: 2_000 } })

type Scan = { org: string; n: number }

async function send({ broker }: Bus, org: string, numbers: readonly number[], bytes = 1): Promise<void> {
  const js = natsOf(broker).jetstream()
  for (const n of numbers) await js.publish(`scans.${org}.gate.canonical`, String(n).padEnd(bytes))
}

/** Handles batches with `handle` and records the handled scans in order. */
function start(bus: Bus, handle: (batch: readonly Scan[]) => Promise<void>, alwaysWaits = false) {
  const done: Scan[] = []
  const decoded: number[] = []
  const consumption = consumeBatches<Scan>(
    bus.broker,
    {
      durable: 'tracking-ingest',
      maxMessages: 100,
      maxWaitMs: 5,
      alwaysWaits,
      retryDelaysMs: [10],
      fair: { groupOf: ({ subject }) => subject.split('.')[1] ?? '' },
      decode({ subject, data }) {
        const n = Number(Buffer.from(data).toString())
        decoded.push(n)
        return { org: subject.split('.')[1] ?? '', n }
      },
      async handle(batch) {
        await handle(batch)
        done.push(...batch)
      },
    },
    { logger: bus.logger, graceMs: 1_000 },
  )
  const of = (org: string) => done.filter((scan) => scan.org === org).map(({ n }) => n)
  return { done, decoded, of, stop: () => consumption.stop() }
}

test('other groups overtake a slow batch, and its own group waits', async ({ bus }) => {
  const slow = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const handled = start(bus, async ([first]) => {
    if (first?.org !== '1' || first.n !== 1) return
    begun.resolve()
    await slow.promise
  })
  await send(bus, '1', [1])
  await begun.promise
  await send(bus, '1', [2, 3])
  await send(bus, '2', [1, 2])
  await eventually(() => expect(handled.of('2')).toEqual([1, 2]))
  await send(bus, '3', [1])
  await eventually(() => expect(handled.of('3')).toEqual([1]))
  expect(handled.of('1')).toEqual([])
  slow.resolve()
  await eventually(() => expect(handled.of('1')).toEqual([1, 2, 3]))
  await handled.stop()
})

test('a batch that hangs is given to another process, although other groups keep overtaking it', async ({
  bus,
}) => {
  const hangs = Promise.withResolvers<void>()
  const handled = start(bus, async (batch) => {
    if (batch.some(({ org }) => org === '1')) await hangs.promise
  })
  await send(bus, '1', [1])
  // Each wait is shorter than the ack wait of the broker.
  const other = await bus.connect()
  const second = start({ ...bus, broker: other }, async () => {})
  await vi.waitFor(
    async () => {
      await send(bus, '2', [1])
      expect(second.of('1')).toEqual([1])
    },
    // The broker gives it to either process, again every two seconds: several times in a row may be the hanging one.
    { timeout: 50_000, interval: 100 },
  )
  hangs.resolve()
  await Promise.all([handled.stop(), second.stop()])
})

test.for([
  { alwaysWaits: false, next: [[2, 3, 4]], what: 'join the next batch, also those of its groups' },
  { alwaysWaits: true, next: [[2], [3, 4]], what: 'wait for their own batch where each one waits' },
])('messages that come while a batch is handled $what', async ({ alwaysWaits, next }, { bus }) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  for (const round of [0, 10, 20]) {
    const batches: number[][] = []
    const first = Promise.withResolvers<void>()
    const handle = async (batch: readonly Scan[]) => {
      batches.push(batch.map(({ n }) => n - round))
      if (batches.length === 1) await first.promise
    }
    const handled = start(bus, handle, alwaysWaits)
    const sendNext = (numbers: number[]) => send(bus, '1', numbers.map((n) => round + n)) // oxfmt-ignore
    await sendNext([1])
    await eventually(() => expect(batches).toHaveLength(1))
    await sendNext([2])
    await eventually(() => expect(handled.decoded).toContain(round + 2)) // taken for the next batch
    await sendNext([3, 4])
    // The answer comes on the connection of the messages, behind them.
    await eventually(async () => {
      const { num_pending } = await jsm.consumers.info('SCANS', 'tracking-ingest')
      expect(num_pending).toBe(0)
    })
    first.resolve()
    await eventually(() => expect(handled.done).toHaveLength(4))
    expect(batches).toEqual([[1], ...next])
    await handled.stop()
  }
})

test('a group with many bytes in a batch is handled after the others, separately', async ({ bus }) => {
  const batches: string[][] = []
  const first = Promise.withResolvers<void>()
  const handled = start(bus, async (batch) => {
    batches.push([...new Set(batch.map(({ org }) => org))].toSorted())
    if (batches.length === 1) await first.promise
  })
  await send(bus, '1', [1])
  await eventually(() => expect(batches).toHaveLength(1))
  // These wait for the batch of their own group. The other group joins them.
  await send(bus, '1', [2, 3, 4, 5], 70_000)
  first.resolve()
  await send(bus, '2', [1])
  await eventually(() => expect(handled.done).toHaveLength(6))
  expect(batches).not.toContainEqual(['1', '2'])
  await handled.stop()
})

test(
  'each group is handled in order and never on two tracks, however long batches take',
  { timeout: 30_000 },
  async ({ bus }) => {
    const busy = new Set<string>()
    const seen = { overlaps: 0, parallel: 0 }
    const handled = start(bus, async (batch) => {
      const orgs = new Set(batch.map(({ org }) => org))
      if (busy.size > 0) seen.parallel += 1
      seen.overlaps += busy.intersection(orgs).size
      for (const org of orgs) busy.add(org)
      await delay(orgs.has('1') ? 60 : 2)
      for (const org of orgs) busy.delete(org)
    })
    const numbers = Array.from({ length: 40 }, (_, i) => i + 1)
    const orgs = ['1', '2', '3', '4']
    await Promise.all(
      orgs.map(async (org) => {
        for (const n of numbers) {
          await send(bus, org, [n], org === '1' ? 70_000 : 1)
          await delay(Math.random() * 20)
        }
      }),
    )
    await eventually(() => expect(handled.done).toHaveLength(160))
    for (const org of orgs) expect(handled.of(org)).toEqual(numbers)
    expect(seen.overlaps).toBe(0)
    expect(seen.parallel).toBeGreaterThan(0)
    await handled.stop()
  },
)

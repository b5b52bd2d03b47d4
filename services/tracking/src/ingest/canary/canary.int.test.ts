import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { natsOf } from '@whereabouts/messaging/connect/connection'
import { publish } from '@whereabouts/messaging/messages/publish'
import { createRegistry, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { events, message, scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { log, test as base, type Tracking } from '../../../test/tracking.fixture.ts'
import { ingestConsumer } from '../ingest.consumer.ts'
import { startCanary } from './canary.loop.ts'
import { CANARY_SUBJECT } from './canary.ts'
import { newestCanary, storeCanary } from './canary.queries.ts'

const EVERY_MS = 100

const test = base.extend<{ bus: Bus }>({
  bus: async ({ tracking }, use) => {
    const bus = await startBus()
    tracking.brokers.current = bus.broker
    await use(bus)
    await bus.stop()
  },
})

const startIngest = (tracking: Tracking, bus: Bus) =>
  consumeBatches(bus.broker, ingestConsumer(tracking.ingest), { logger: log })

/** A replica that publishes canaries. */
function startReplica(tracking: Tracking, bus: Bus, timeoutMs = 1_000) {
  const registry = createRegistry('test')
  const loop = startCanary({
    publish: (canary) => publish(bus.broker, canary, timeoutMs),
    db: tracking.db,
    registry,
    log,
    everyMs: EVERY_MS,
    sampleEveryMs: 20,
  })
  return { ...loop, registry, age: () => valueOf(registry, 'canary_age_seconds') }
}

async function valueOf(registry: Registry, metric: string, labels: object = {}): Promise<number> {
  const found = (await registry.getSingleMetric(metric)?.get())?.values ?? []
  const wanted = Object.entries(labels)
  return found.find((one) => wanted.every(([key, value]) => one.labels[key] === value))?.value ?? Number.NaN
}

/** Waits for this many more canaries to be stored. */
async function stored(tracking: Tracking, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const before = (await newestCanary(tracking.db)) ?? 0
    await expect.poll(() => newestCanary(tracking.db)).toBeGreaterThan(before)
  }
}

/** Makes the stream refuse every message, like a broker whose disk is full, or accept them again. */
async function setRefusing(bus: Bus, isRefusing: boolean): Promise<void> {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const { config } = await jsm.streams.info('SCANS')
  await jsm.streams.update('SCANS', { ...config, max_msg_size: isRefusing ? 1 : 258 * 1024 })
}

describe('canaries', () => {
  test('are stored again and again, and leave nothing but their one row', async ({ tracking, bus }) => {
    await warehouse(tracking)
    const consumer = startIngest(tracking, bus)
    const replica = startReplica(tracking, bus)
    await stored(tracking, 4)
    await replica.stop()
    await consumer.stop()
    await Promise.all([tracking.ingest.health.flush(), tracking.ingest.unknownTags.flush()])
    const count = async (table: string) =>
      (await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(tracking.db))
        .rows[0]?.n
    expect(await count('canary')).toBe(1)
    expect(await scans(tracking)).toEqual([])
    expect(await events(tracking)).toEqual([])
    const ofOthers = sql<{ n: number }>`
      select (select count(*) from reader_health where org_id = 0)
        + (select count(*) from unknown_tag where org_id = 0)
        + (select count(*) from reader_hour where org_id = 0) as n`
    expect((await ofOthers.execute(tracking.db)).rows).toEqual([{ n: 0 }])
    const jsm = await natsOf(bus.broker).jetstreamManager()
    expect((await jsm.streams.info('DEAD')).state.messages).toBe(0)
    expect((await jsm.streams.info('SCANS')).state.messages).toBeGreaterThan(3)
  })

  test('that no stream stores make the age grow on every replica, and count as failures, until the stream takes reads again', async ({
    tracking,
    bus,
  }) => {
    const consumer = startIngest(tracking, bus)
    const replicas = [startReplica(tracking, bus), startReplica(tracking, bus)]
    await stored(tracking, 3)
    await expect.poll(() => replicas.map((one) => one.areReadsStored())).toEqual([true, true])
    await setRefusing(bus, true)
    await expect.poll(() => replicas.map((one) => one.areReadsStored())).toEqual([false, false])
    for (const one of replicas) {
      expect(await one.age()).toBeGreaterThan((3 * EVERY_MS) / 1_000)
      await expect
        .poll(() => valueOf(one.registry, 'timed_work_failures_total', { work: 'canary' }))
        .toBeGreaterThanOrEqual(3)
    }
    await setRefusing(bus, false)
    await stored(tracking, 3)
    await expect.poll(() => replicas.map((one) => one.areReadsStored())).toEqual([true, true])
    await Promise.all(replicas.map((one) => one.stop()))
    await consumer.stop()
  })

  test('that get no answer are counted, and sent again once the broker is back', async ({
    tracking,
    bus,
  }) => {
    const consumer = startIngest(tracking, bus)
    const replica = startReplica(tracking, bus, 50)
    await stored(tracking, 3)
    await bus.server.kill()
    await expect
      .poll(() => valueOf(replica.registry, 'timed_work_failures_total', { work: 'canary' }))
      .toBeGreaterThanOrEqual(3)
    await expect.poll(() => replica.areReadsStored()).toBe(false)
    await bus.server.restart()
    await stored(tracking, 3)
    await expect.poll(() => replica.areReadsStored()).toBe(true)
    await replica.stop()
    await consumer.stop()
  })

  test('show that ingest does not store, although the stream takes them', async ({ tracking, bus }) => {
    const replica = startReplica(tracking, bus)
    await expect.poll(() => replica.areReadsStored()).toBe(false)
    expect(await valueOf(replica.registry, 'timed_work_failures_total', { work: 'canary' })).toBe(0)
    const consumer = startIngest(tracking, bus)
    await expect.poll(() => replica.areReadsStored()).toBe(true)
    await consumer.stop()
    await replica.stop()
  })

  test('are on record after a restart, with their age', async ({ tracking, bus }) => {
    await storeCanary(tracking.db, Date.now() - 600_000)
    await storeCanary(tracking.db, Date.now() - 900_000) // redelivered late
    const replica = startReplica(tracking, bus)
    await expect.poll(replica.age).toBeGreaterThan(599)
    expect(await replica.age()).toBeLessThan(700)
    await replica.stop()
  })

  test('do not hold up the reads of a batch, and are stored with them', async ({ tracking }) => {
    await warehouse(tracking)
    const consumer = ingestConsumer(tracking.ingest)
    const read = message(1, [{ value: 'E280' }])
    const canary = { ...read, subject: CANARY_SUBJECT, data: Buffer.from('{}') }
    const context = { signal: new AbortController().signal, working: () => undefined }
    await consumer.handle(
      [canary, read].map((one) => consumer.decode(one)),
      context,
    )
    expect(await scans(tracking)).toHaveLength(1)
    expect(await newestCanary(tracking.db)).toBe(read.receivedAt)
    expect(consumer.fair?.groupOf(canary)).toBe('0')
  })
})

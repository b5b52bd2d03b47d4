import { describe, expect } from 'vitest'
import { message, NOW } from '../../../test/ingest/warehouse.fixture.ts'
import { ingestConsumer } from '../../ingest/ingest.consumer.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { MAX_DISCOVERED } from './reader-health.queries.ts'
import { ReaderHealthLog } from './reader-health.ts'

const MINUTE = 60_000
const READER = { reader_key: 'dock-1', name: 'Dock', format: 'impinj' }

const list = async (tracking: Tracking, query = '', orgId = 1) =>
  (await tracking.call('GET', `/readers?${query}`, { orgId })).json()

const health = async (tracking: Tracking) => (await list(tracking)).data[0].health

async function heard(tracking: Tracking, key: string, news: object = {}, seenAtMs = NOW): Promise<void> {
  tracking.health.note(1, key, { seenAtMs, messages: 1, ...news })
  await tracking.health.flush()
}

describe('the rate', () => {
  test('D10 counts the last minute over all replicas, and falls when no reads arrive', async ({
    tracking,
  }) => {
    tracking.clock.stoppedAt = NOW + MINUTE / 2
    const replica = new ReaderHealthLog(tracking.db, log)
    replica.note(1, 'dock-1', { seenAtMs: NOW - 1, reads: 100 })
    await replica.flush()
    await heard(tracking, 'dock-1', { reads: 20 }, NOW + 1_000)
    replica.note(1, 'dock-1', { seenAtMs: NOW + 2_000, reads: 10 })
    await replica.flush()
    await heard(tracking, 'dock-1', { reads: 20 }, NOW - 1) // a delayed message
    expect(await health(tracking)).toMatchObject({ reads: 150, reads_per_minute: 90 })
    tracking.clock.stoppedAt = NOW + 1.5 * MINUTE
    expect(await health(tracking)).toMatchObject({ reads_per_minute: 15 })
    tracking.clock.stoppedAt = NOW + 2 * MINUTE
    expect(await health(tracking)).toMatchObject({ reads: 150, reads_per_minute: 0 })
  })
})

describe('the status', () => {
  test('D10 a reader is silent after three of its pauses, two minutes at least', async ({ tracking }) => {
    const statusAt = async (ms: number) => {
      tracking.clock.stoppedAt = NOW + ms
      return (await health(tracking)).status
    }
    await tracking.call('POST', '/readers', { body: READER })
    expect(await statusAt(0)).toBe('never_heard')
    await heard(tracking, 'dock-1')
    expect([await statusAt(4.9 * MINUTE), await statusAt(5 * MINUTE)]).toEqual(['online', 'silent'])
    await heard(tracking, 'dock-1', {}, NOW + 1_000)
    expect([await statusAt(2 * MINUTE), await statusAt(2.1 * MINUTE)]).toEqual(['online', 'silent'])
    await heard(tracking, 'dock-1', {}, NOW + 5 * MINUTE + 1_000)
    expect([await statusAt(20 * MINUTE), await statusAt(20.1 * MINUTE)]).toEqual(['online', 'silent'])
    await heard(tracking, 'dock-1', {}, NOW + 600 * MINUTE) // back after an outage, which is not a usual pause
    expect([await statusAt(602 * MINUTE), await statusAt(616 * MINUTE)]).toEqual(['online', 'silent'])
  })
})

describe('the health of a reader', () => {
  test('D10 has clock, lost reads and device reports from its messages', async ({ tracking }) => {
    const consumer = ingestConsumer(tracking.ingest)
    const overflow = { eventType: 'inventoryStatus', timestamp: new Date(NOW - 1_500).toISOString() }
    const events = [
      { ...overflow, antennaDisconnectedEvent: { antennaPort: 2 } },
      { ...overflow, overflowEvent: { eventsPurged: 30 } },
    ]
    const impinj = {
      ...message(1, []),
      subject: 'scans.1.dock-1.impinj',
      data: Buffer.from(JSON.stringify(events)),
    }
    const context = { signal: new AbortController().signal, working: () => undefined }
    await consumer.handle([consumer.decode(impinj)], context)
    await tracking.health.flush()
    const { device, ...shown } = await health(tracking)
    expect(shown).toMatchObject({ messages: 1, reads_lost: 30, clock_offset_ms: -1_500 })
    expect(device.map((one: { kind: string }) => one.kind).toSorted()).toEqual([
      'antenna_disconnected',
      'reads_lost',
    ])
    expect(device[0]).toMatchObject({
      at: new Date(NOW - 1_500).toISOString(),
      received_at: new Date(NOW).toISOString(),
    })
  })

  test('D8.6 the newest read gives the clock offset, and a message without times keeps it', async ({
    tracking,
  }) => {
    const consumer = ingestConsumer(tracking.ingest)
    const context = { signal: new AbortController().signal, working: () => undefined }
    const read = (at?: number) => message(1, [{ value: 'E280', ...(at !== undefined && { at }) }])
    const twoTimes = message(1, [{ value: 'E280', at: NOW - 90_000 }, { value: 'E280', at: NOW + 45_000 }]) // oxfmt-ignore
    await consumer.handle([twoTimes, read()].map((m) => consumer.decode(m)), context) // oxfmt-ignore
    await tracking.health.flush()
    expect(await health(tracking)).toMatchObject({ clock_offset_ms: 45_000, reads_clock_skewed: 1 })
    await consumer.handle([consumer.decode(read(NOW - 10))], context)
    await tracking.health.flush()
    expect(await health(tracking)).toMatchObject({ clock_offset_ms: -10 })
  })

  test('a write that fails is retried, with the activity since then', async ({ tracking }) => {
    const note = (device: object) => tracking.health.note(1, 'dock-1', { seenAtMs: NOW, reads: 2, ...device })
    note({ problem: 'old', newestMs: NOW + 1 })
    await tracking.db.schema.alterTable('reader_health').renameTo('away').execute()
    await tracking.health.flush()
    note({ problem: 'new' })
    await tracking.db.schema.alterTable('away').renameTo('reader_health').execute()
    await tracking.health.flush()
    expect(await health(tracking)).toMatchObject({ reads: 4, last_problem: 'new', clock_offset_ms: 1 })
  })
})

describe('discovered readers', () => {
  test('D10 a reader that was heard before shows its counters once it is configured', async ({
    tracking,
  }) => {
    await heard(tracking, 'dock-1', { reads: 7 })
    const { data } = (await tracking.call('POST', '/readers', { body: READER })).json()
    expect(data).toMatchObject({ configured: true, health: { messages: 1, reads: 7 } })
    expect((await tracking.call('GET', `/readers/${data.id}`)).json().data).toEqual(data)
  })

  test('invented names cannot fill the table: the newest and the configured readers are kept', async ({
    tracking,
  }) => {
    await tracking.call('POST', '/readers', { body: READER })
    await heard(tracking, 'dock-1', {}, 1)
    tracking.health.note(2, 'theirs', { seenAtMs: 1, messages: 1 })
    for (let i = 0; i < MAX_DISCOVERED + 20; i += 1)
      tracking.health.note(1, `made-up-${i}`, { seenAtMs: 1_000 + i, messages: 1 })
    await tracking.health.flush()
    expect((await list(tracking, 'limit=1')).total_count).toBe(MAX_DISCOVERED + 1)
    expect((await list(tracking, 'q=made-up-19&limit=200')).data.map((r: { reader_key: string }) => r.reader_key)).not.toContain('made-up-19') // oxfmt-ignore
    expect((await list(tracking, 'configured=true')).data).toMatchObject([{ reader_key: 'dock-1' }])
    expect((await list(tracking, '', 2)).total_count).toBe(1)
  })

  test('many names cost one write of bounded size and leave room for other organizations', async ({
    tracking,
  }) => {
    for (let i = 0; i < 60_000; i += 1)
      tracking.health.note(1, `made-up-${i}`, { seenAtMs: NOW, messages: 1 })
    tracking.health.note(2, 'theirs', { seenAtMs: NOW, messages: 1 })
    await tracking.health.flush()
    expect((await list(tracking)).total_count).toBe(MAX_DISCOVERED)
    expect((await list(tracking, '', 2)).data).toMatchObject([{ reader_key: 'theirs' }])
  })
})

describe('the list', () => {
  test('D10 is filtered, searched, sorted and counted', async ({ tracking }) => {
    tracking.clock.stoppedAt = NOW
    const make = (reader_key: string, name: string) =>
      tracking.call('POST', '/readers', { body: { reader_key, name, format: 'csl' } })
    await make('b', 'North gate')
    await make('c', 'South_gate')
    await heard(tracking, 'a', { reads: 5, identity: 'AABB' })
    await heard(tracking, 'c', { reads: 9 }, NOW - 60 * MINUTE)
    const keys = async (query: string) => {
      const { data, total_count } = await list(tracking, query)
      return [data.map((r: { reader_key: string }) => r.reader_key).join(''), total_count]
    }
    expect(await keys('')).toEqual(['abc', 3])
    expect(await keys('configured=true')).toEqual(['bc', 2])
    expect(await keys('configured=false')).toEqual(['a', 1])
    expect(await keys('status=silent&status=never_heard')).toEqual(['bc', 2])
    expect(await keys('status=online')).toEqual(['a', 1])
    expect(await keys('q=H_G')).toEqual(['c', 1])
    expect(await keys('q=aab')).toEqual(['a', 1])
    expect(await keys('sort=-name')).toEqual(['cba', 3])
    expect(await keys('sort=-last_seen_at')).toEqual(['acb', 3])
    expect(await keys('sort=-reads_per_minute,-reader_key')).toEqual(['acb', 3])
    expect(await keys('limit=1&offset=1')).toEqual(['b', 3])
    expect(await keys('offset=9&configured=true')).toEqual(['', 2])
    expect(await keys('q=nothing')).toEqual(['', 0])
  })
})

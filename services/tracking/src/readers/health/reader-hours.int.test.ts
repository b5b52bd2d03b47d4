import { describe, expect } from 'vitest'
import { ingest, message } from '../../../test/ingest/warehouse.fixture.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { maintainPartitions } from '../../positions/partitions/partitions.loop.ts'
import { MAX_DISCOVERED } from './reader-health.queries.ts'
import { ReaderHealthLog } from './reader-health.ts'
import { HOUR_MS, type Signals } from './reader-hours.ts'

const MINUTE = 60_000
const HOUR = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
const timeOf = (ms: number) => new Date(ms).toISOString()

const newReader = async (tracking: Tracking, reader_key: string, orgId = 1): Promise<number> => {
  const body = { reader_key, name: reader_key, format: 'canonical' }
  return (await tracking.call('POST', '/readers', { orgId, body })).json().data.id
}
const list = async (tracking: Tracking, query = '', orgId = 1) =>
  (await tracking.call('GET', `/readers?${query}`, { orgId })).json().data
const hoursOf = (tracking: Tracking, id: number, query = '', orgId = 1) =>
  tracking.call('GET', `/readers/${id}/hours?${query}`, { orgId })

const signals = (antenna: number, reads: number, rssi: number): Signals =>
  new Map([[antenna, { reads, rssi_sum: reads * rssi, rssi_count: reads }]])

/** So many messages, the first of them with a problem. */
async function heard(tracking: Tracking, key: string, messages: number, problems: number, seenAtMs: number) {
  for (let i = 0; i < messages; i += 1)
    tracking.health.note(1, key, { seenAtMs, messages: 1, ...(i < problems && { problem: 'not JSON' }) })
  await tracking.health.flush()
}

describe('the hours of a reader', () => {
  test('replicas and writes add up, per antenna, and only for their organization', async ({ tracking }) => {
    tracking.clock.stoppedAt = HOUR + 1
    const id = await newReader(tracking, 'dock-1')
    const theirs = await newReader(tracking, 'dock-1', 2)
    const replica = new ReaderHealthLog(tracking.db, log)
    const seenAtMs = HOUR - HOUR_MS
    tracking.health.note(1, 'dock-1', {
      seenAtMs,
      messages: 1,
      reads: 3,
      signals: signals(1, 3, -40),
      newestMs: seenAtMs + 900,
    })
    replica.note(1, 'dock-1', {
      seenAtMs,
      messages: 1,
      reads: 1,
      signals: signals(1, 1, -60),
      problem: 'x',
      newestMs: seenAtMs - 5_000,
    })
    await Promise.all([tracking.health.flush(), replica.flush()])
    tracking.health.note(1, 'dock-1', {
      seenAtMs,
      messages: 1,
      reads: 2,
      signals: signals(900, 2, -71),
      newestMs: seenAtMs,
    })
    tracking.health.note(1, 'dock-1', { seenAtMs: HOUR, messages: 1 })
    await tracking.health.flush()
    const { data } = (await hoursOf(tracking, id)).json()
    expect(data).toEqual([
      {
        hour: timeOf(seenAtMs),
        messages: 3,
        problems: 1,
        reads: 6,
        mean_rssi_dbm: -53.7,
        clock_offset_ms: -5_000,
        antennas: [
          { antenna: 1, reads: 4, mean_rssi_dbm: -45 },
          { antenna: null, reads: 2, mean_rssi_dbm: -71 },
        ],
      },
      {
        hour: timeOf(HOUR),
        messages: 1,
        problems: 0,
        reads: 0,
        mean_rssi_dbm: null,
        clock_offset_ms: null,
        antennas: [],
      },
    ])
    expect((await hoursOf(tracking, theirs, '', 2)).json()).toEqual({ data: [] })
    expect((await hoursOf(tracking, id, '', 2)).statusCode).toBe(404)
    expect((await list(tracking))[0].health.reads_by_hour).toEqual([...Array(22).fill(0), 6, 0])
    expect((await list(tracking, '', 2))[0].health.reads_by_hour).toEqual(Array(24).fill(0))
  })

  test('a window of 30 days is answered, a longer one is refused; older hours are deleted', async ({
    tracking,
  }) => {
    const id = await newReader(tracking, 'dock-1')
    for (const days of [0, 29, 31]) await heard(tracking, 'dock-1', 1, 0, HOUR - days * 24 * HOUR_MS)
    const window = (days: number) => `from=${timeOf(HOUR - days * 24 * HOUR_MS)}&to=${timeOf(HOUR + 1)}`
    expect((await hoursOf(tracking, id, window(30))).statusCode).toBe(400)
    expect((await hoursOf(tracking, id, window(29))).json().data).toHaveLength(2)
    expect((await hoursOf(tracking, id, `from=${timeOf(HOUR)}&to=${timeOf(HOUR)}`)).statusCode).toBe(400)
    await maintainPartitions({ owner: tracking.db, retentionDays: 400, log })
    const left = await tracking.db.selectFrom('reader_hour').select('hour').orderBy('hour').execute()
    expect(left).toHaveLength(2)
  })

  test('hours of invented readers are deleted with these', async ({ tracking }) => {
    await newReader(tracking, 'dock-1')
    tracking.health.note(1, 'dock-1', { seenAtMs: HOUR, messages: 1 })
    for (let i = 0; i < MAX_DISCOVERED + 20; i += 1)
      tracking.health.note(1, `made-up-${i}`, { seenAtMs: HOUR + i, messages: 1 })
    await tracking.health.flush()
    const rows = await tracking.db.selectFrom('reader_hour').select('reader_key').execute()
    expect(rows).toHaveLength(MAX_DISCOVERED + 1)
  })
})

describe('a degraded reader', () => {
  test('has 5 messages with problems in the last hour, and 5 percent of its messages, or nothing else', async ({
    tracking,
  }) => {
    tracking.clock.stoppedAt = HOUR + MINUTE
    await heard(tracking, 'few', 5, 4, HOUR)
    await heard(tracking, 'new', 1, 1, HOUR)
    await heard(tracking, 'good', 1, 0, HOUR)
    await heard(tracking, 'just', 100, 5, HOUR)
    await heard(tracking, 'rare', 101, 5, HOUR)
    await heard(tracking, 'silent', 10, 10, HOUR - 6 * MINUTE)
    const readers = await list(tracking, 'sort=severity')
    const status = readers.map((r: { reader_key: string; health: { status: string } }) => [
      r.reader_key,
      r.health.status,
    ])
    expect(status).toEqual([
      ['silent', 'silent'],
      ['just', 'degraded'],
      ['new', 'degraded'],
      ['few', 'online'],
      ['good', 'online'],
      ['rare', 'online'],
    ])
    expect(await list(tracking, 'status=degraded')).toMatchObject([
      { reader_key: 'just', health: { messages_last_hour: 100, problems_last_hour: 5 } },
      { reader_key: 'new', health: { messages_last_hour: 1, problems_last_hour: 1 } },
    ])
  })

  test('gets well as the problems of the hour before leave the last sixty minutes', async ({ tracking }) => {
    const at = async (minutes: number) => {
      tracking.clock.stoppedAt = HOUR + minutes * MINUTE
      await heard(tracking, 'dock-1', 1, 0, HOUR + minutes * MINUTE)
      const { status, problems_last_hour: problems } = (await list(tracking))[0].health
      return [status, problems]
    }
    await heard(tracking, 'dock-1', 12, 12, HOUR - 1)
    expect([await at(0), await at(30), await at(45)]).toEqual([
      ['degraded', 12],
      ['degraded', 6],
      ['online', 3],
    ])
  })
})

test('the last problem has the start of its message', async ({ tracking }) => {
  const last = async () => {
    await tracking.health.flush()
    const { last_problem: problem, last_problem_message: text } = (await list(tracking))[0].health
    return [problem, text]
  }
  const data = Buffer.from('{"reads":[{"antenna":1}]}')
  await ingest(tracking, [{ ...message(1, []), data }])
  expect(await last()).toEqual(['missing_tag at /reads/0', data.toString()])
  const garbage = { ...message(1, []), data: Buffer.from('\u0000not JSON') }
  await expect(ingest(tracking, [garbage])).rejects.toThrow('malformed_json')
  expect(await last()).toEqual(['not a canonical message: malformed_json', '␀not JSON'])
  await ingest(tracking, [message(1, [{ value: 'E280' }])])
  expect(await last()).toEqual(['not a canonical message: malformed_json', '␀not JSON'])
  await ingest(tracking, [message(1, [{ value: 'E280', location: 'NOWHERE' }])])
  expect(await last()).toEqual([
    'no location has the key "NOWHERE"',
    '{"reads":[{"tag":{"type":"rfid","value":"E280"},"location":"NOWHERE"}]}',
  ])
})

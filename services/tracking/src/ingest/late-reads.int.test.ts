import { describe, expect } from 'vitest'
import { events, ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { ReaderHealthLog } from '../readers/health/reader-health.ts'
import { maintainPartitions } from '../positions/partitions/partitions.loop.ts'
import { RecentMinutes } from './places/recent-minutes.ts'

const [DOCK, SHELF] = [1, 2]
const HOUR = 3_600_000
const DAY = 24 * HOUR
const OLD = NOW - 49 * HOUR
const iso = (ms: number) => new Date(ms).toISOString()

type Read = { value: string; at?: number; antenna?: number }
const read = (at: number, antenna = SHELF, value = 'E280') => ({ value, at, antenna })
const received = (receivedAt: number, ...reads: Read[]) => ({ ...message(1, reads), receivedAt })

/** A message of a device without reads: its heartbeat, and an inventory that ended. */
const heartbeat = (receivedAt: number, at: number) => ({
  ...message(1, []),
  subject: 'scans.1.dock-1.impinj',
  receivedAt,
  data: Buffer.from(
    JSON.stringify([
      {
        eventType: 'inventoryStatus',
        timestamp: iso(at),
        inventoryStatusEvent: { inventoryStatus: 'running' },
      },
    ]),
  ),
})

const health = async (tracking: Tracking) => {
  await tracking.health.flush()
  return (await tracking.call('GET', '/readers')).json().data[0].health
}
const instants = async (tracking: Tracking) => (await scans(tracking)).map((row) => row.observed_at)

/** Another process, which has noted nothing: after a restart, or another replica. */
async function ingestElsewhere(tracking: Tracking, ...messages: Parameters<typeof ingest>[1]) {
  const other = new ReaderHealthLog(tracking.db, log)
  await ingest({ ...tracking, ingest: { ...tracking.ingest, health: other } }, messages, new RecentMinutes())
  await other.flush()
}

describe('D18.2 a read of more than a day ago', () => {
  test('fills history and moves nothing where another time in the message shows a right clock', async ({
    tracking,
  }) => {
    const { dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [received(NOW, read(NOW - 180_000, DOCK))])
    await ingest(tracking, [received(NOW, read(OLD), read(NOW - 1_000, SHELF, 'E2801160600002000000C003'))])
    expect(await scans(tracking)).toMatchObject([
      { location_id: shelf.id, observed_at: iso(OLD) },
      { location_id: dock.id, observed_at: iso(NOW - 180_000) },
    ])
    const position = await tracking.db.selectFrom('position').selectAll().executeTakeFirstOrThrow()
    expect(position).toMatchObject({ location_id: dock.id, observed_at: iso(NOW - 180_000) })
    expect(await events(tracking)).toHaveLength(1)
    expect(await health(tracking)).toMatchObject({ reads_late: 1, reads_clock_skewed: 0, clock: 'ok' })
  })

  test('is the position of an asset without a newer row, with a movement and without an event', async ({
    tracking,
  }) => {
    const { dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [received(NOW, read(OLD), read(NOW - 1_000, SHELF, 'C003'))])
    const position = () => tracking.db.selectFrom('position').select('location_id').executeTakeFirstOrThrow()
    expect(await position()).toEqual({ location_id: shelf.id })
    expect(await tracking.db.selectFrom('movement').select('to_location_id').execute()).toHaveLength(1)
    expect(await events(tracking)).toEqual([])
    await ingest(tracking, [received(NOW, read(NOW - 500, DOCK))])
    expect(await events(tracking)).toMatchObject([
      { from_location: { id: shelf.id }, to_location: { id: dock.id } },
    ])
    expect(await position()).toEqual({ location_id: dock.id })
  })

  test.for([
    { name: 'its heartbeat', proof: () => heartbeat(NOW - 10 * 60_000, NOW - 10 * 60_000 - 100) },
    {
      name: 'a read of an unknown tag',
      proof: () => received(NOW - 1_000, read(NOW - 2_000, SHELF, 'FFFF')),
    },
    {
      name: 'a read an hour before',
      proof: () => received(NOW - HOUR, read(NOW - HOUR - 3_000, DOCK, 'FFFF')),
    },
  ])(
    'is late after $name: in the same batch, later, and in another process',
    async ({ proof }, { tracking }) => {
      await warehouse(tracking)
      await ingest(tracking, [proof(), received(NOW, read(OLD))])
      await ingest(tracking, [received(NOW, read(OLD - 60_000))])
      await tracking.health.flush()
      await ingestElsewhere(tracking, received(NOW, read(OLD - 120_000)))
      expect(await instants(tracking)).toEqual([iso(OLD - 120_000), iso(OLD - 60_000), iso(OLD)])
      expect(await health(tracking)).toMatchObject({ reads_late: 3, reads_clock_skewed: 0 })
    },
  )

  test('a proof that comes after it, or came more than an hour before, is none', async ({ tracking }) => {
    await warehouse(tracking)
    const before = received(NOW - HOUR - 1, read(NOW - HOUR - 2, DOCK, 'FFFF'))
    await ingest(tracking, [before, received(NOW, read(OLD)), received(NOW, read(NOW - 5, DOCK, 'FFFF'))])
    expect(await instants(tracking)).toEqual([iso(NOW)])
    expect(await health(tracking)).toMatchObject({ reads_late: 0, reads_clock_skewed: 1 })
  })

  test('is late where it is not before the newest right time of the reader, after any pause and restart', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    await ingest(tracking, [received(NOW - 3 * DAY, read(NOW - 3 * DAY - 1_000, DOCK, 'FFFF'))])
    await tracking.health.flush()
    for (const step of [1, 2, 3])
      await ingestElsewhere(tracking, received(NOW + step, read(NOW - 3 * DAY - 1_000 + (step - 1) * HOUR)))
    expect(await instants(tracking)).toEqual(
      [0, 1, 2].map((hour) => iso(NOW - 3 * DAY - 1_000 + hour * HOUR)),
    )
    await ingestElsewhere(tracking, received(NOW, read(NOW - 3 * DAY - 2_000)))
    expect((await instants(tracking)).at(-1)).toBe(iso(NOW))
    expect(await health(tracking)).toMatchObject({ reads_late: 3, reads_clock_skewed: 1 })
  })

  test.for([
    ['1970', 5_000_000],
    ['1980', Date.UTC(1980, 0, 6)],
    ['1024 weeks back', NOW - 1_024 * 7 * DAY],
  ] as const)('%s counts when it was received, whatever proves the clock', async ([, at], { tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [received(NOW, read(at), read(NOW - 1_000, DOCK, 'FFFF'))])
    expect(await instants(tracking)).toEqual([iso(NOW)])
    expect(await health(tracking)).toMatchObject({ reads_late: 0, reads_clock_skewed: 1 })
  })

  test('20 seconds ahead counts when it was received and is no skew', async ({ tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [received(NOW, read(NOW + 20_000))])
    expect(await instants(tracking)).toEqual([iso(NOW)])
    expect(await health(tracking)).toMatchObject({ reads_clock_skewed: 0, clock: 'ok' })
  })

  test('older than the history that is kept is only counted; back to there, its month is made and stays', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const oldest = NOW - 400 * DAY
    const late = received(
      NOW,
      read(oldest),
      read(oldest - 1),
      read(oldest - 1, DOCK, 'FFFF'),
      read(NOW - 1_000, DOCK, 'AAAA'),
    )
    await ingest(tracking, [late])
    await maintainPartitions({ owner: tracking.db, retentionDays: 400, log, now: () => NOW })
    expect(await instants(tracking)).toEqual([iso(oldest)])
    expect(await health(tracking)).toMatchObject({
      reads_late: 3,
      reads_clock_skewed: 0,
      reads_unknown_tag: 1,
    })
  })

  test('with the time of receipt, nothing is late or skewed and the clock is nobody’s problem', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const { id } = (await tracking.call('GET', '/readers')).json().data[0]
    const patched = await tracking.call('PATCH', `/readers/${id}`, { body: { time_source: 'receipt' } })
    expect(patched.json().data).toMatchObject({ time_source: 'receipt' })
    for (const step of [0, 1, 2, 3, 4, 5]) {
      const receivedAt = NOW + step * 60_000
      await ingest(tracking, [
        received(
          receivedAt,
          read(receivedAt - 5 * HOUR),
          read(receivedAt - 9 * DAY),
          read(receivedAt - 5 * HOUR, DOCK, 'FFFF'),
        ),
      ])
    }
    expect(await instants(tracking)).toEqual([0, 1, 2, 3, 4, 5].map((step) => iso(NOW + step * 60_000)))
    tracking.clock.stoppedAt = NOW + 5 * 60_000
    expect(await health(tracking)).toMatchObject({
      reads_late: 0,
      reads_clock_skewed: 0,
      clock: 'ok',
      status: 'online',
      last_problem: null,
    })
  })
})

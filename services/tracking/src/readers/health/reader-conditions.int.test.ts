import { describe, expect } from 'vitest'
import { ingest, message, NOW, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { ReaderHealthLog } from './reader-health.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const iso = (ms: number) => new Date(ms).toISOString()

const reader = async (tracking: Tracking, at: number) => {
  tracking.clock.stoppedAt = at
  return (await tracking.call('GET', '/readers')).json().data[0]
}
const health = async (tracking: Tracking, at: number) => (await reader(tracking, at)).health

const wrongAt = (receivedAt: number, offset = -5 * HOUR) => ({
  ...message(1, [{ value: 'E280', at: receivedAt + offset }]),
  receivedAt,
})

/** What `ingest` of another replica notes, which writes on its own. */
async function elsewhere(tracking: Tracking, sent: ReturnType<typeof wrongAt>) {
  const replica = new ReaderHealthLog(tracking.db, log)
  await ingest({ ...tracking, ingest: { ...tracking.ingest, health: replica } }, [sent])
  await replica.flush()
}

const BEHIND =
  'The clock is 5 h 0 min behind for 8 messages, which looks like local time sent as UTC. Set the time zone of the device (or of the reader, if its times name none), or let the time of receipt count.'

describe('D18.4 a clock that is hours off', () => {
  const times = Array.from({ length: 8 }, (_, n) => NOW + n * 10 * SECOND)
  const after = NOW + 80 * SECOND

  test.for(['in one write', 'in many writes', 'by two replicas'])('%s', async (how, { tracking }) => {
    await warehouse(tracking)
    for (const [n, at] of times.entries()) {
      if (how === 'by two replicas' && n % 2 === 1) await elsewhere(tracking, wrongAt(at))
      else await ingest(tracking, [wrongAt(at)])
      if (how !== 'in one write') await tracking.health.flush()
    }
    await tracking.health.flush()
    expect(await health(tracking, after)).toMatchObject({
      status: 'degraded', clock: 'behind', last_problem: BEHIND, reads_clock_skewed: 0,
    }) // oxfmt-ignore
    expect((await tracking.call('GET', '/readers?status=degraded')).json().total_count).toBe(1)
    // Not refreshed without messages, and over with the first right one.
    for (const _ of [1, 2, 3]) {
      await tracking.health.flush()
      expect(await health(tracking, after)).toMatchObject({ status: 'degraded', last_problem: BEHIND })
    }
    await ingest(tracking, [wrongAt(after, -SECOND)])
    await tracking.health.flush()
    expect(await health(tracking, after)).toMatchObject({ status: 'online', clock: 'ok' })
  })

  test('an earlier problem of the messages is told as well', async ({ tracking }) => {
    await warehouse(tracking)
    for (const at of times) {
      const { receivedAt, ...sent } = wrongAt(at)
      const body = { reads: [{ ...JSON.parse(sent.data.toString()).reads[0], antenna: 'left' }] }
      await ingest(tracking, [{ ...sent, receivedAt, data: Buffer.from(JSON.stringify(body)) }])
    }
    await tracking.health.flush()
    expect((await health(tracking, after)).last_problem).toMatch(
      /^The clock is 5 h 0 min behind .* Also: invalid_field/,
    )
  })

  test('ends with the time of receipt, and messages without a time change nothing', async ({ tracking }) => {
    await warehouse(tracking)
    for (const at of times)
      await ingest(tracking, [wrongAt(at), { ...message(1, [{ value: 'E280' }]), receivedAt: at }])
    await tracking.health.flush()
    const { id, health: before } = await reader(tracking, after)
    expect(before).toMatchObject({ status: 'degraded', clock: 'behind' })
    await tracking.call('PATCH', `/readers/${id}`, { body: { time_source: 'receipt' } })
    expect(await health(tracking, after)).toMatchObject({ status: 'online', clock: 'ok' })
  })

  test('a write that failed is made up for', async ({ tracking }) => {
    await warehouse(tracking)
    for (const at of times.slice(0, 4)) await ingest(tracking, [wrongAt(at)])
    await tracking.db.schema.alterTable('reader_health').renameTo('away').execute()
    await tracking.health.flush()
    await tracking.db.schema.alterTable('away').renameTo('reader_health').execute()
    for (const at of times.slice(4)) await ingest(tracking, [wrongAt(at)])
    await tracking.health.flush()
    expect(await health(tracking, after)).toMatchObject({ clock: 'behind', last_problem: BEHIND })
  })
})

describe('D18.9 two devices under one key', () => {
  const says = (hostname: string, receivedAt: number) => ({
    ...message(1, []),
    subject: 'scans.1.dock-1.impinj',
    receivedAt,
    data: Buffer.from(
      JSON.stringify([
        {
          timestamp: iso(receivedAt),
          hostname,
          eventType: 'inventoryStatus',
          inventoryStatusEvent: { inventoryStatus: 'running' },
        },
      ]),
    ),
  })
  const one = { hostname: 'impinj-13-00-01', identity: '001625130001' }
  const other = { hostname: 'impinj-13-00-02', identity: '001625130002' }

  test.for(['in one write', 'in many writes', 'by two replicas'])('%s', async (how, { tracking }) => {
    const replica = new ReaderHealthLog(tracking.db, log)
    for (let n = 0; n < 30; n += 1) {
      const where = how === 'by two replicas' && n % 2 === 1 ? replica : tracking.health
      const sent = says(n % 2 === 0 ? one.hostname : other.hostname, NOW + n * SECOND)
      await ingest({ ...tracking, ingest: { ...tracking.ingest, health: where } }, [sent])
      if (how === 'in many writes') await tracking.health.flush()
      if (how === 'by two replicas' && n % 6 === 5)
        await Promise.all([tracking.health.flush(), replica.flush()])
    }
    await Promise.all([tracking.health.flush(), replica.flush()])
    const last = NOW + 29 * SECOND
    const found = await health(tracking, last)
    expect(found).toMatchObject({ status: 'degraded', replaced: null, two_devices: { at: iso(last) } })
    expect(found.two_devices.identities.toSorted()).toEqual([one.identity, other.identity])
    for (const { identity } of [one, other]) expect(found.last_problem).toContain(identity)
    // Until an hour after the last return, however often the reader is heard.
    for (const minutes of [20, 40, 59]) {
      await ingest(tracking, [says(other.hostname, NOW + minutes * MINUTE)])
      await tracking.health.flush()
      expect((await health(tracking, NOW + minutes * MINUTE)).status).toBe('degraded')
    }
    expect((await health(tracking, last + HOUR)).two_devices).toBeNull()
    expect((await health(tracking, last + HOUR)).status).toBe('online')
  })

  test('one change is a replaced device', async ({ tracking }) => {
    for (const [n, { hostname }] of [one, one, other, other].entries()) {
      await ingest(tracking, [says(hostname, NOW + n * MINUTE)])
      await tracking.health.flush()
    }
    expect(await health(tracking, NOW + 4 * MINUTE)).toMatchObject({
      status: 'online',
      last_problem: null,
      two_devices: null,
      replaced: { from: one.identity, to: other.identity, at: iso(NOW + 2 * MINUTE) },
    })
  })
})

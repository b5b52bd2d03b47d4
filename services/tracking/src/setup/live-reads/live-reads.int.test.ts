import type {
  LiveProblem,
  LiveRead,
  OmittedReads,
} from '@whereabouts/contracts/resources/tracking/reader-messages'
import { publishMany } from '@whereabouts/messaging/messages/publish'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import type { EventStream } from '@whereabouts/testing/event-stream'
import { describe, expect } from 'vitest'
import { scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test as base, type Tracking } from '../../../test/tracking.fixture.ts'
import { MAX_PER_USER } from '../../where/live/stream-shares.ts'
import { MAX_READS } from './reader-view.ts'

const test = base.extend<{ bus: Bus }>({
  bus: async ({ tracking }, use) => {
    const bus = await startBus()
    tracking.brokers.current = bus.broker
    await use(bus)
    await bus.stop()
  },
})

const pathOf = async (tracking: Tracking) => {
  const { data } = (await tracking.call('GET', '/readers?q=dock-1')).json()
  return `/readers/${data[0].id}/reads`
}

const read = (value: string, antenna = 1, more: object = {}) => ({
  tag: { type: 'rfid', value },
  antenna,
  ...more,
})
const send = async (bus: Bus, payloads: readonly object[], subject = 'scans.1.dock-1.canonical') =>
  publishMany(
    bus.broker,
    payloads.map((payload) => ({ subject, payload })),
  )

const eventsOf = ({ events }: EventStream) =>
  events.map(({ event, data }) => [event, JSON.parse(data) as LiveRead & LiveProblem & OmittedReads] as const)
const omittedOf = (stream: EventStream) => {
  const all = eventsOf(stream).flatMap(([event, data]) => (event === 'omitted' ? [data] : []))
  return { reads: sum(all.map(({ reads }) => reads)), messages: sum(all.map(({ messages }) => messages)) }
}
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

describe('D16.6 a view of a reader', () => {
  test('shows reads with their outcome and problems as they come, and stores nothing', async ({
    tracking,
    bus,
  }) => {
    const { asset, dock } = await warehouse(tracking)
    const view = await tracking.open(await pathOf(tracking))
    expect([view.status, view.headers['content-type']]).toEqual([200, 'text/event-stream'])
    await send(bus, [{ reads: [read('E280', 1, { rssi_dbm: -41 }), read('FFFF', 3), read('E280', 9)] }])
    await send(bus, [{ reads: 7 }])
    await send(bus, [{ reads: [read('FFFF')] }], 'scans.1.dock-2.canonical')
    await send(bus, [{ reads: [read('FFFF')] }], 'scans.2.dock-1.canonical')
    await send(bus, [{}], 'scans.1.dock-1.nothing')
    await view.next(5)
    const heard = { received_at: expect.any(String), via: 'nats' }
    expect(eventsOf(view)).toMatchObject([
      ['read', { ...heard, rssi: -41, outcome: 'scan', asset: { id: asset.id }, location: { id: dock.id } }],
      ['read', { ...heard, tag: { value: 'FFFF' }, antenna: 3, outcome: 'unknown_tag', asset: null }],
      ['read', { ...heard, antenna: 9, outcome: 'no_scan_point', location: null }],
      ['problem', { ...heard, problems: [{ code: 'unexpected_shape' }] }],
      ['problem', { ...heard, problems: [{ code: 'refused', detail: 'Unknown format "nothing".' }] }],
    ])
    expect(await scans(tracking)).toEqual([])
    view.close()
  })

  test('is for the organization of the reader only', async ({ tracking, bus }) => {
    await warehouse(tracking)
    const other = await tracking.open(await pathOf(tracking), { orgId: 2, userId: 2 })
    expect([other.status, tracking.heard.size]).toEqual([404, 0])
    await send(bus, [{ reads: [read('E280')] }])
    expect(JSON.parse(await other.body)).toMatchObject({ error: { type: 'not_found' } })
  })

  test('shows a part of what comes fast, and counts the rest', async ({ tracking, bus }) => {
    await warehouse(tracking)
    const path = await pathOf(tracking)
    const view = await tracking.open(path)
    const many = Array.from({ length: 50 }, (_, i) => read('E280', i + 1))
    await send(bus, [{ reads: many }])
    await view.next(MAX_READS + 1)
    expect(eventsOf(view).at(-1)).toEqual(['omitted', { reads: 50 - MAX_READS, messages: 0 }])
    view.close()

    const flooded = await tracking.open(path)
    await send(
      bus,
      Array.from({ length: 300 }, () => ({ reads: [read('E280')] })),
    )
    const seen = () => flooded.events.filter(({ event }) => event === 'read').length
    await expect
      .poll(() => seen() + omittedOf(flooded).reads + omittedOf(flooded).messages, { timeout: 10_000 })
      .toBe(300)
    expect(omittedOf(flooded).messages).toBeGreaterThan(0)
    flooded.close()
  })

  test('is made once for all views of a reader, also again after the last one is closed', async ({
    tracking,
    bus,
  }) => {
    await warehouse(tracking)
    const path = await pathOf(tracking)
    for (let round = 0; round < 3; round += 1) {
      const views = [await tracking.open(path), await tracking.open(path), await tracking.open(path)]
      expect([...tracking.heard]).toEqual(['scans.1.dock-1.>'])
      await send(bus, [{ reads: [read('E280')] }])
      for (const view of views) {
        await view.next(1)
        expect(eventsOf(view)).toMatchObject([['read', { outcome: 'scan' }]])
      }
      const [first, ...others] = views
      first?.close()
      await send(bus, [{ reads: [read('FFFF')] }])
      for (const view of others) {
        await view.next(1)
        view.close()
      }
      await expect.poll(() => tracking.heard.size).toBe(0)
    }
  })

  test('leaves nothing open when it is closed', async ({ tracking, bus: _bus }) => {
    await warehouse(tracking)
    const path = await pathOf(tracking)
    const closed = await tracking.open(path)
    expect([...tracking.heard]).toEqual(['scans.1.dock-1.>'])
    closed.close()
    await expect.poll(() => tracking.heard.size).toBe(0)
  })

  test('counts among the live streams of its user', async ({ tracking, bus: _bus }) => {
    await warehouse(tracking)
    const path = await pathOf(tracking)
    const views: EventStream[] = []
    for (let n = 0; n < MAX_PER_USER; n += 1) views.push(await tracking.open(path))
    const refused = await tracking.open(path)
    expect([refused.status, JSON.parse(await refused.body).error.type]).toEqual([429, 'rate_limited'])
    const other = await tracking.open(path, { userId: 2 })
    expect(other.status).toBe(200)
    for (const view of [...views, other]) view.close()
  })
})

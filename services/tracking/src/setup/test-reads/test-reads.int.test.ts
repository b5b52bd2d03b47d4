import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { describe, expect, vi } from 'vitest'
import { events, scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { log, test as base, type Tracking } from '../../../test/tracking.fixture.ts'
import { ingestConsumer } from '../../ingest/ingest.consumer.ts'

const TAG = { tag_type: 'rfid', value: 'E280' }

const test = base.extend<{ bus: Bus }>({
  bus: async ({ tracking }, use) => {
    const bus = await startBus()
    tracking.brokers.current = bus.broker
    await use(bus)
    await bus.stop()
  },
})

const readerId = async (tracking: Tracking) =>
  (await tracking.call('GET', '/readers')).json().data[0].id as number

const send = async (tracking: Tracking, body: object, options: { orgId?: number; userId?: number } = {}) =>
  tracking.call('POST', `/readers/${await readerId(tracking)}/test-reads`, { ...options, body })

/** The next messages that ingest would get, in order. */
async function published(bus: Bus, count: number): Promise<{ subject: string; body: unknown }[]> {
  const received: { subject: string; body: unknown }[] = []
  const consumer = consumeBatches(
    bus.broker,
    {
      durable: 'tracking-ingest',
      maxMessages: 100,
      maxBytes: 1_000_000,
      maxWaitMs: 5,
      decode: ({ subject, data }) => ({ subject, body: JSON.parse(data.toString()) as unknown }),
      handle: async (messages) => void received.push(...messages),
    },
    { logger: log },
  )
  await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 5_000 })
  await consumer.stop()
  return received
}

describe('a test read', () => {
  test('becomes a scan and an event of the organization of its sender', async ({ tracking, bus }) => {
    const { asset, dock } = await warehouse(tracking)
    const consumer = consumeBatches(bus.broker, ingestConsumer(tracking.ingest), { logger: log })
    const sent = await send(tracking, { tag_type: 'rfid', value: 'e2 80', antenna: 1 })
    expect([sent.statusCode, sent.json()]).toEqual([202, { data: { published_at: expect.any(String) } }])
    await vi.waitFor(
      async () => expect(await scans(tracking)).toMatchObject([{ asset_id: asset.id, location_id: dock.id }]),
      { timeout: 5_000 },
    )
    expect(await events(tracking)).toHaveLength(1)
    await consumer.stop()
  })

  test('is a canonical message on the subject of the reader', async ({ tracking, bus }) => {
    await warehouse(tracking)
    await send(tracking, { tag_type: 'ble', value: 'ac:23:3f:a1:b2:c3', antenna: 2 })
    await send(tracking, { tag_type: 'barcode', value: 'Box: 1' })
    await send(tracking, { tag_type: 'rfid', value: 'URN:epc:id:sgtin:0614141.812345.6789' })
    await send(tracking, { tag_type: 'ble', value: 'iBeacon:F7826DA6-4FA2-4E98-8024-BC5B71E0893E-1-2' })
    expect(await published(bus, 4)).toEqual([
      {
        subject: 'scans.1.dock-1.canonical',
        body: { reads: [{ tag: { type: 'ble', value: 'AC233FA1B2C3' }, antenna: 2 }] },
      },
      {
        subject: 'scans.1.dock-1.canonical',
        body: { reads: [{ tag: { type: 'barcode', value: 'Box: 1' } }] },
      },
      {
        subject: 'scans.1.dock-1.canonical',
        body: { reads: [{ tag: { type: 'rfid', value: 'urn:epc:id:sgtin:0614141.812345.6789' } }] },
      },
      {
        subject: 'scans.1.dock-1.canonical',
        body: { reads: [{ tag: { type: 'ble', value: 'F7826DA64FA24E988024BC5B71E0893E/1/2' } }] },
      },
    ])
  })

  test('of a reader of another organization is refused and publishes nothing', async ({ tracking, bus }) => {
    await warehouse(tracking)
    expect((await send(tracking, TAG, { orgId: 2, userId: 2 })).statusCode).toBe(404)
    await send(tracking, TAG)
    expect(await published(bus, 1)).toMatchObject([{ subject: 'scans.1.dock-1.canonical' }])
  })

  test.for([
    ['rfid', 'PALLET-1'],
    ['rfid', 'E28'],
    ['ble', 'AC:23:3F'],
    ['ble', 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/70000'],
  ])('with a value that no reader sends is refused: %s %s', async ([tag_type, value], { tracking }) => {
    await warehouse(tracking)
    const { statusCode, body } = await send(tracking, { tag_type, value })
    expect(statusCode).toBe(400)
    expect(JSON.parse(body).error.fields).toMatchObject([{ field: 'value', code: 'invalid_value' }])
  })

  test('is refused after four in a row, for this person only, until a second later', async ({
    tracking,
    bus,
  }) => {
    await warehouse(tracking)
    tracking.clock.stoppedAt = Date.now()
    const statuses: number[] = []
    for (let n = 0; n < 5; n += 1) statuses.push((await send(tracking, TAG)).statusCode)
    expect(statuses).toEqual([202, 202, 202, 202, 429])
    expect((await send(tracking, TAG, { userId: 2 })).statusCode).toBe(202)
    tracking.clock.stoppedAt += 1_000
    expect((await send(tracking, TAG)).statusCode).toBe(202)
    expect(await published(bus, 6)).toHaveLength(6)
  })

  test('is answered 503 while the broker is not reachable', async ({ tracking, bus }) => {
    await warehouse(tracking)
    await bus.broker.close()
    const { statusCode, headers } = await send(tracking, TAG)
    expect([statusCode, headers['retry-after']]).toEqual([503, '1'])
  })
})

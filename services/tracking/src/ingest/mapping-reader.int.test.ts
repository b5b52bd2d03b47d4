import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { readerPresets } from '@whereabouts/contracts/resources/tracking/reader-presets'
import { expect } from 'vitest'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { ingestConsumer } from './ingest.consumer.ts'

const NOW = Math.floor(Date.now() / 60_000) * 60_000
const context = { signal: new AbortController().signal, working: () => undefined }

const message = (orgId: number, format: string, body: unknown): IncomingMessage => ({
  subject: `scans.${orgId}.gate-4.${format}`,
  data: Buffer.from(JSON.stringify(body)),
  receivedAt: NOW,
  deliveryCount: 1,
  streamSeq: 1,
  headers: {},
})

async function ingest(tracking: Tracking, ...messages: IncomingMessage[]) {
  const consumer = ingestConsumer(tracking.ingest)
  await consumer.handle(
    messages.map((one) => consumer.decode(one)),
    context,
  )
}

/** An organization with reader `gate-4` at a dock, and an asset with tag E280. */
async function gate(tracking: Tracking, orgId: number, settings: object) {
  const asset = tracking.catalog.asset(orgId, `Forklift ${orgId}`)
  tracking.catalog.tag(asset, 'E280')
  const dock = tracking.catalog.location(orgId, `Dock ${orgId}`)
  await tracking.project()
  const body = { reader_key: 'gate-4', name: 'Gate', ...settings }
  const { data } = (await tracking.call('POST', '/readers', { orgId, body })).json()
  const point = { name: 'in', antenna: 3, location_id: dock.id }
  await tracking.call('POST', `/readers/${data.id}/scan-points`, { orgId, body: point })
  return { readerId: data.id, asset, dock }
}

const scans = (tracking: Tracking) =>
  tracking.db
    .selectFrom('scan')
    .select(['org_id', 'asset_id', 'location_id', 'observed_at'])
    .orderBy('org_id')
    .execute()

const health = async (tracking: Tracking) => {
  await tracking.health.flush()
  return (await tracking.call('GET', '/readers')).json().data[0]?.health
}

test('each organization reads its messages with the mapping of its own reader', async ({ tracking }) => {
  const base = { tag_type: 'rfid', antenna: '/port' }
  const one = await gate(tracking, 1, { format: 'mapping', mapping: { ...base, reads: '/list', tag: '/id' } })
  const two = await gate(tracking, 2, { format: 'mapping', mapping: { ...base, reads: '', tag: '/epc' } })
  await ingest(
    tracking,
    message(1, 'mapping', { list: [{ id: 'e280', port: '3' }] }),
    message(2, 'mapping', [{ epc: 'E280', port: 3 }]),
  )
  const at = { observed_at: new Date(NOW).toISOString() }
  expect(await scans(tracking)).toEqual([
    { org_id: 1, asset_id: one.asset.id, location_id: one.dock.id, ...at },
    { org_id: 2, asset_id: two.asset.id, location_id: two.dock.id, ...at },
  ])
})

test('a changed mapping applies to the next message', async ({ tracking }) => {
  const mapping = { reads: '/list', tag: '/id', tag_type: 'rfid', antenna: '/port' }
  const { readerId } = await gate(tracking, 1, { format: 'mapping', mapping })
  const body = { list: [{ renamed: 'E280', port: 3 }] }
  await ingest(tracking, message(1, 'mapping', body))
  expect(await scans(tracking)).toEqual([])
  expect(await health(tracking)).toMatchObject({ read_errors: 1, last_problem: 'missing_tag at /list/0' })
  const changed = { mapping: { ...mapping, tag: '/renamed' } }
  await tracking.call('PATCH', `/readers/${readerId}`, { body: changed })
  await ingest(tracking, message(1, 'mapping', body))
  expect(await scans(tracking)).toHaveLength(1)
})

test('a message of format mapping from a reader without a mapping is a dead letter, counted and explained', async ({
  tracking,
}) => {
  const consumer = ingestConsumer(tracking.ingest)
  const decode = (one: IncomingMessage) => consumer.decode(one)
  const problem = 'this reader has no mapping; set one, or publish in another format'
  expect(() => decode(message(1, 'mapping', { list: [] }))).toThrow(new PoisonError(problem))
  expect(await health(tracking)).toMatchObject({ messages: 1, messages_buried: 1, last_problem: problem })
  await gate(tracking, 1, { format: 'zebra' })
  expect(() => decode(message(1, 'mapping', { list: [] }))).toThrow(new PoisonError(problem))
  expect(await health(tracking)).toMatchObject({ messages: 2, messages_buried: 2 })
})

test('D8.6 wall time of a device is in the zone of its reader; without a zone, the time of receipt counts', async ({
  tracking,
}) => {
  const wall = new Date(NOW - 60_000 + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  const report = { tags: [{ epc: 'E280', antennaPort: 3, timeOfRead: wall }] }
  const { readerId } = await gate(tracking, 1, { format: 'csl', timezone: 'Asia/Singapore' })
  await ingest(tracking, message(1, 'csl', report))
  await tracking.call('PATCH', `/readers/${readerId}`, { body: { timezone: null } })
  await ingest(tracking, message(1, 'csl', report))
  expect((await scans(tracking)).map((scan) => scan.observed_at).toSorted()).toEqual([
    new Date(NOW - 60_000).toISOString(),
    new Date(NOW).toISOString(),
  ])
})

test('D19.3 a beacon whose address changes is found by its identity, through ingest and in a tried message', async ({
  tracking,
}) => {
  const { asset, readerId } = await gate(tracking, 1, {
    format: 'mapping',
    mapping: readerPresets.find(({ id }) => id === 'espresense')?.mapping,
  })
  const UUID = '5d1f0c3a-77aa-4c4e-9b1e-0a1b2c3d4e5f'
  const beacon = (mac: string, id: string) => ({ mac, id, rssi: -71.2 })
  await tracking.call('POST', `/readers/${readerId}/scan-points`, {
    body: { name: 'room', antenna: 1, location_id: tracking.catalog.location(1, 'Room').id },
  })
  tracking.catalog.tag(asset, `${UUID}/100/7`, { tag_type: 'ble' })
  await tracking.project()
  const spellings = [`iBeacon:${UUID}-100-7`, `${UUID}_100_7`, `${UUID.toUpperCase()}/100/7`]
  for (const [n, id] of spellings.entries()) {
    const sent = beacon(`c2a4e09e11f${n}`, id)
    await ingest(tracking, message(1, 'mapping', sent))
    const tried = await tracking.call('POST', `/readers/${readerId}/decode`, { body: { message: sent } })
    expect(tried.json().data.reads).toMatchObject([
      { tag: { value: `C2A4E09E11F${n}` }, ibeacon: `${UUID}/100/7`, asset: { id: asset.id } },
    ])
  }
  expect(await health(tracking)).toMatchObject({ reads: 3, reads_unknown_tag: 0 })
  await ingest(tracking, message(1, 'mapping', beacon('c2a4e09e11ff', `iBeacon:${UUID}-100-8`)))
  expect(await health(tracking)).toMatchObject({ reads: 4, reads_unknown_tag: 1 })
})

import type { Kysely } from 'kysely'
import { describe, expect } from 'vitest'
import { up as respell } from '../../../migrations/0139_beacon_spellings.ts'
import { ingest, message, NOW, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { projectionsConsumer } from '../../catalog/projections.consumer.ts'
import { upsertTags } from '../../catalog/projections.queries.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { UnknownTagLog, type UnknownTagRead } from './unknown-tag-log.ts'
import { deleteKnownTags, MAX_UNKNOWN_TAGS } from './unknown-tags.queries.ts'

const read = (tag_value: string, changes: Partial<UnknownTagRead> = {}): UnknownTagRead => ({
  reader: 'dock-1',
  antenna: 1,
  tag_type: 'rfid',
  tag_value,
  rssi_dbm: -50,
  read_count: 1,
  read_at_ms: null,
  received_at_ms: NOW,
  reads: 1,
  ...changes,
})
const beacon = (address: string) =>
  read(address, { tag_type: 'ble', extra: { ibeacon: { uuid: 'e2c56db5-dffb-48d2-b060-d0f5a71096e0', major: 1, minor: 7 } } }) // oxfmt-ignore
const HEX = '3074257BF7194E4000001A85'
const OTHER_FILTER = '3034257BF7194E4000001A85'
const PURE = 'urn:epc:id:sgtin:0614141.812345.6789'
const IBEACON = 'e2c56db5-dffb-48d2-b060-d0f5a71096e0/1/7'

const list = async (tracking: Tracking, query = '', orgId = 1) =>
  (await tracking.call('GET', `/unknown-tags?${query}`, { orgId })).json()
const values = async (tracking: Tracking, query = '', orgId = 1) =>
  (await list(tracking, query, orgId)).data.map((tag: { value: string }) => tag.value)

async function noted(tracking: Tracking, ...reads: UnknownTagRead[]): Promise<void> {
  for (const one of reads) tracking.unknownTags.note(1, one)
  await tracking.unknownTags.flush()
}

const claim = (tracking: Tracking, body: object, orgId = 1) =>
  tracking.call('POST', '/unknown-tags/claim', { orgId, body })

describe('D8.8 reads of unknown tags', () => {
  test('D8.8 are listed once per tag, and no scan is recorded', async ({ tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'AA01' }, { value: 'E280', antenna: 2 }, { value: 'AA01', antenna: 2 }])]) // oxfmt-ignore
    await tracking.unknownTags.flush()
    expect(await list(tracking)).toEqual({
      limit: 50,
      offset: 0,
      total_count: 1,
      data: [
        {
          id: expect.any(Number),
          tag_type: 'rfid',
          value: 'AA01',
          epc: null,
          ibeacon: null,
          first_seen_at: new Date(NOW).toISOString(),
          last_seen_at: new Date(NOW).toISOString(),
          reads: 2,
          reader_key: 'dock-1',
          antenna: 2,
          rssi_dbm: null,
        },
      ],
    })
    expect(await values(tracking, '', 2)).toEqual([])
    const scans = await tracking.db.selectFrom('scan').select('asset_id').execute()
    expect(scans).toHaveLength(1)
  })

  test('D8.8 do not list the tag of a location', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    tracking.catalog.tag(asset, 'BB02', { asset_id: null, location_id: dock.id })
    await tracking.project()
    await ingest(tracking, [message(1, [{ value: 'BB02' }])])
    await tracking.unknownTags.flush()
    expect(await values(tracking)).toEqual([])
  })

  test('D8.8 are added up over two replicas', async ({ tracking }) => {
    const replica = new UnknownTagLog(tracking.db, log)
    replica.note(1, read('AA01', { received_at_ms: NOW + 5_000, reader: 'gate', rssi_dbm: -61.5 }))
    await Promise.all([noted(tracking, read('AA01'), read('AA02')), replica.flush()])
    await noted(tracking, read('AA02', { received_at_ms: NOW + 9_000, antenna: 3 }))
    expect((await list(tracking, 'sort=value')).data).toMatchObject([
      { value: 'AA01', reads: 2, last_seen_at: new Date(NOW + 5_000).toISOString() },
      { value: 'AA02', reads: 2, antenna: 3, first_seen_at: new Date(NOW).toISOString() },
    ])
  })

  test('D8.8 with invented tags fill a bounded list, not the list of another type or organization', async ({
    tracking,
  }) => {
    await noted(tracking, read('BARCODE', { tag_type: 'barcode', received_at_ms: 1 }))
    tracking.unknownTags.note(2, read('THEIRS', { received_at_ms: 1 }))
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 100_000; i += 1)
        tracking.unknownTags.note(1, read(`${round}-${i}`, { received_at_ms: NOW + round * 1_000 + i }))
      await tracking.unknownTags.flush()
    }
    expect((await list(tracking, 'tag_type=rfid')).total_count).toBe(MAX_UNKNOWN_TAGS)
    expect((await values(tracking, 'limit=1'))[0]).toMatch(/^2-/)
    expect(await values(tracking, 'tag_type=barcode')).toEqual(['BARCODE'])
    expect(await values(tracking, '', 2)).toEqual(['THEIRS'])
  })

  test('are written again after a failure, with the reads since then', async ({ tracking }) => {
    await tracking.db.schema.alterTable('unknown_tag').renameTo('away').execute()
    await noted(tracking, read('AA01'))
    tracking.unknownTags.note(1, read('AA01', { received_at_ms: NOW + 1_000 }))
    await tracking.db.schema.alterTable('away').renameTo('unknown_tag').execute()
    await tracking.unknownTags.flush()
    expect((await list(tracking)).data).toMatchObject([
      {
        reads: 2,
        first_seen_at: new Date(NOW).toISOString(),
        last_seen_at: new Date(NOW + 1_000).toISOString(),
      },
    ])
  })
})

describe('the list', () => {
  test('D10 is filtered, searched, sorted and counted', async ({ tracking }) => {
    await noted(
      tracking,
      read('AA01', { received_at_ms: NOW - 60_000 }),
      ...Array.from({ length: 3 }, () => read('AA02', { reader: 'gate' })),
      read('x_y', { tag_type: 'barcode', received_at_ms: NOW - 1_000 }),
      beacon('C0FFEE000001'),
    )
    expect(await values(tracking, 'sort=value')).toEqual(['AA01', 'AA02', 'C0FFEE000001', 'x_y'])
    expect(await values(tracking, 'sort=-reads&limit=1')).toEqual(['AA02'])
    expect((await values(tracking))[3]).toBe('AA01')
    expect(await values(tracking, 'tag_type=barcode&tag_type=ble')).toEqual(['C0FFEE000001', 'x_y'])
    expect(await values(tracking, 'reader_key=gate')).toEqual(['AA02'])
    expect(await values(tracking, 'min_reads=2')).toEqual(['AA02'])
    expect(
      await values(tracking, `seen_since=${new Date(NOW - 1_000).toISOString()}&tag_type=barcode`),
    ).toEqual(['x_y'])
    expect(await values(tracking, 'q=_')).toEqual(['x_y'])
    expect(await values(tracking, 'q=E2C56DB5')).toEqual(['C0FFEE000001'])
    expect(await list(tracking, 'q=a&limit=1&offset=7')).toMatchObject({ data: [], total_count: 3 })
  })

  test('D10 a deleted tag is listed again if it is read again; another organization cannot delete it', async ({
    tracking,
  }) => {
    await noted(tracking, read('AA01'), read('AA02'))
    const [{ id }] = (await list(tracking, 'q=AA01')).data
    const remove = async (orgId = 1) =>
      (await tracking.call('DELETE', `/unknown-tags/${id}`, { orgId })).statusCode
    expect([await remove(2), await remove(), await remove()]).toEqual([404, 204, 404])
    expect(await values(tracking)).toEqual(['AA02'])
    await noted(tracking, read('AA01'))
    expect((await list(tracking, 'q=AA01')).data).toMatchObject([{ reads: 1 }])
  })
})

describe('a tag that becomes known', () => {
  test('D10 leaves the list when it is claimed, and its next read is a scan', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'AA01' }, { value: 'AA02' }])])
    await tracking.unknownTags.flush()
    const body = { tag_type: 'rfid', value: 'AA01', asset_id: asset.id }
    const claimed = await claim(tracking, body)
    expect(claimed.statusCode).toBe(200)
    expect(claimed.json().data).toEqual({
      id: expect.any(Number),
      tag_type: 'rfid',
      value: 'AA01',
      epc: null,
      asset_id: asset.id,
      asset_external_key: asset.external_key,
      location_id: null,
      location_external_key: null,
    })
    expect(await values(tracking)).toEqual(['AA02'])
    expect((await claim(tracking, body)).json()).toEqual(claimed.json())
    await ingest(tracking, [message(1, [{ value: 'AA01' }])])
    await tracking.unknownTags.flush()
    expect(await tracking.db.selectFrom('scan').select('asset_id').execute()).toEqual([
      { asset_id: asset.id },
    ])
    expect(await values(tracking)).toEqual(['AA02'])
  })

  test('D8.9 is not listed again by a read before the claim', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    const replica = new UnknownTagLog(tracking.db, log)
    replica.note(1, read('AA01'))
    tracking.unknownTags.note(1, read('AA01'))
    await claim(tracking, { tag_type: 'rfid', value: 'aa:01', asset_external_key: asset.external_key })
    await Promise.all([replica.flush(), tracking.unknownTags.flush()])
    expect(await values(tracking)).toEqual([])
  })

  test('D10 leaves the list when its state arrives, a beacon also by its iBeacon identity', async ({
    tracking,
  }) => {
    const { asset } = await warehouse(tracking)
    const barcode = (value: string) => read(value, { tag_type: 'barcode' })
    await noted(tracking, read('AA01'), read('AA02'), beacon('C0FFEE000001'), beacon('C0FFEE000002'), barcode('a'), barcode('A')) // oxfmt-ignore
    for (const one of [read('AA01'), barcode('a')]) tracking.unknownTags.note(2, one)
    await tracking.unknownTags.flush()
    expect((await list(tracking, 'tag_type=ble')).data).toMatchObject([
      { ibeacon: IBEACON },
      { ibeacon: IBEACON },
    ])
    const states = [
      tracking.catalog.tag(asset, 'aa-01'),
      tracking.catalog.tag(asset, 'AA02', { deleted_at: '2026-01-01T00:00:00.000Z' }),
      tracking.catalog.tag(asset, IBEACON.toUpperCase(), { tag_type: 'ble' }),
      tracking.catalog.tag(asset, 'a', { tag_type: 'barcode' }),
    ]
    const consumer = projectionsConsumer({ db: tracking.db, onTags: deleteKnownTags })
    const context = { signal: new AbortController().signal, working: () => undefined }
    await consumer.handle(states.map((state) => ({ kind: 'tag', state })), context) // oxfmt-ignore
    expect(await values(tracking, 'sort=value')).toEqual(['A', 'AA02'])
    expect(await values(tracking, 'sort=value', 2)).toEqual(['AA01', 'a'])
  })

  test('D16.5 leaves the list under all its spellings, also if a replica read it before', async ({
    tracking,
  }) => {
    const { asset } = await warehouse(tracking)
    const reads = [HEX, OTHER_FILTER, PURE].map((value) => read(value))
    const replica = new UnknownTagLog(tracking.db, log)
    await noted(tracking, ...reads)
    for (const one of reads) replica.note(1, one)
    const [tag, ...others] = (await list(tracking, 'sort=value')).data
    expect(others).toHaveLength(2)
    expect(tag).toMatchObject({ value: OTHER_FILTER, epc: { filter: 1, serial: '6789' } })
    const claimed = await claim(tracking, { tag_type: 'rfid', value: `0x${HEX}`, asset_id: asset.id })
    expect(claimed.json().data).toMatchObject({ value: `0x${HEX}`, epc: { filter: 3 } })
    expect(await values(tracking)).toEqual([OTHER_FILTER])
    await replica.flush()
    expect(await values(tracking)).toEqual([OTHER_FILTER])
    await claim(tracking, { tag_type: 'rfid', value: PURE, asset_id: asset.id })
    replica.note(1, read(OTHER_FILTER))
    await replica.flush()
    expect(await values(tracking)).toEqual([])
  })

  test('is not listed by a replica that read it before it was stored', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    await upsertTags(tracking.db, [
      tracking.catalog.tag(asset, 'aa 01'),
      tracking.catalog.tag(asset, IBEACON, { tag_type: 'ble' }),
    ])
    await noted(tracking, read('AA01'), read('AA02'), beacon('C0FFEE000001'))
    expect(await values(tracking)).toEqual(['AA02'])
  })
})

describe('a claim', () => {
  test('D10 that catalog refuses has the same error and leaves the list unchanged', async ({ tracking }) => {
    await noted(tracking, read('AA01'))
    const res = await claim(tracking, { tag_type: 'rfid', value: 'AA01', asset_id: 5 })
    expect(res.json().error).toMatchObject({ type: 'conflict', detail: 'no such asset here' })
    expect(await values(tracking)).toEqual(['AA01'])
  })

  test('D2 answers 503 while catalog is not reachable', async ({ tracking }) => {
    tracking.catalog.isUnreachable = true
    await noted(tracking, read('AA01'))
    const res = await claim(tracking, { tag_type: 'rfid', value: 'AA01', asset_id: 5 })
    expect(res.statusCode).toBe(503)
    expect(res.headers['retry-after']).toBe('1')
    expect(await values(tracking)).toEqual(['AA01'])
  })

  test('D10 of one organization does not change the list of another', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    tracking.unknownTags.note(2, read('AA01'))
    await noted(tracking, read('AA01'))
    await claim(tracking, { tag_type: 'rfid', value: 'AA01', asset_id: asset.id })
    expect(await values(tracking)).toEqual([])
    expect(await values(tracking, '', 2)).toEqual(['AA01'])
  })
})

describe('D19 unknown barcodes', () => {
  const barcode = (value: string) => read(value, { tag_type: 'barcode' })

  test('D19.1 D19.2 two spellings are one entry, which is found by each', async ({ tracking }) => {
    for (const value of ['Ku\u0308hl', 'K\u00FChl', 'K\u00FChl', '01\u001D21'])
      await noted(tracking, barcode(value))
    expect(await list(tracking, 'q=k%C3%BChl')).toMatchObject({ data: [{ value: 'K\u00FChl', reads: 3 }] })
    for (const q of ['KU\u0308HL', '01\u001D21', '01␝21\r\n'])
      expect((await values(tracking, `q=${encodeURIComponent(q)}`)).length).toBe(1)
  })

  test('D19.1 D19.2 leave the list when they are attached in any spelling, before or after', async ({
    tracking,
  }) => {
    const tag = (n: number, value: string) => ({
      org_id: 1, id: 7_000 + n, revision: 9_000 + n, tag_type: 'barcode' as const, value, asset_id: 5, location_id: null,
      created_at: '2026-01-01T00:00:00.000Z', deleted_at: null,
    }) // oxfmt-ignore
    const spellings = ['Ku\u0308hl', ' K\u00FChl\r\n']
    for (const [n, value] of spellings.entries()) {
      await noted(tracking, barcode('K\u00FChl'))
      expect(await values(tracking)).toEqual(['K\u00FChl'])
      await upsertTags(tracking.db, [tag(n, value)])
      await deleteKnownTags(tracking.db, [tag(n, value)])
      expect(await values(tracking)).toEqual([])
      await noted(tracking, barcode('K\u00FChl'))
      expect(await values(tracking)).toEqual([])
      await upsertTags(tracking.db, [
        { ...tag(n, value), revision: 9_500 + n, deleted_at: '2026-02-01T00:00:00.000Z' },
      ])
    }
  })
})

describe('D19.3 unknown beacons', () => {
  const ADDRESSLESS = read(IBEACON, { tag_type: 'ble' })
  const tag = (n: number, value: string) => ({
    org_id: 1, id: 8_000 + n, revision: 9_000 + n, tag_type: 'ble' as const, value, asset_id: 5, location_id: null,
    created_at: '2026-01-01T00:00:00.000Z', deleted_at: null,
  }) // oxfmt-ignore

  test('D19.3 without an address are listed as views show them, with what to assign', async ({
    tracking,
  }) => {
    await noted(tracking, ADDRESSLESS, ADDRESSLESS)
    expect((await list(tracking)).data).toMatchObject([{ value: IBEACON, ibeacon: IBEACON, reads: 2 }])
  })

  test('D19.3 leave the list when their identity is attached, whatever was read, before or after', async ({
    tracking,
  }) => {
    const tracker = read('E2C56DB5DFFB48D2B060D0F5A71096E000010007', {
      extra: { ibeacon: { uuid: 'e2c56db5-dffb-48d2-b060-d0f5a71096e0', major: 1, minor: 7 } },
    })
    const all = [ADDRESSLESS, beacon('C0FFEE000001'), beacon('C0FFEE000002'), tracker]
    await noted(tracking, ...all)
    expect(await values(tracking)).toHaveLength(4)
    await upsertTags(tracking.db, [tag(1, IBEACON)])
    await deleteKnownTags(tracking.db, [tag(1, IBEACON)])
    expect(await values(tracking)).toEqual([])
    await noted(tracking, ...all)
    expect(await values(tracking)).toEqual([])
  })

  test('D19.3 that an earlier release knew in another spelling are no longer unknown', async ({
    tracking,
  }) => {
    const other = 'e2c56db5-dffb-48d2-b060-d0f5a71096e0/2/2'
    await noted(tracking, beacon('C0FFEE000001'), read(other, { tag_type: 'ble' }))
    const stored = [tag(1, `iBeacon:${IBEACON.replaceAll('/', '-')}`), { ...tag(2, other.toUpperCase()), deleted_at: '2026-02-01T00:00:00.000Z' }] // oxfmt-ignore
    await upsertTags(tracking.db, stored)
    for (let round = 0; round < 3; round += 1) {
      await respell(tracking.db as unknown as Kysely<unknown>)
      expect(await values(tracking)).toEqual([other])
    }
    const rows = await tracking.db.selectFrom('tag').select('value').orderBy('id').execute()
    expect(rows.map(({ value }) => value)).toEqual([IBEACON, other])
  })
})

import { describe, expect } from 'vitest'
import { openDatabase } from '@whereabouts/db/connect/database'
import { sql } from 'kysely'
import type { Tables } from '../db.ts'
import { test } from '../../test/tracking.fixture.ts'
import { ingestConsumer } from './ingest.consumer.ts'
import { minuteOf, type Observation } from '../positions/observation.ts'
import { RecentMinutes } from './places/recent-minutes.ts'
import { store } from '../../test/store.ts'
import { events, ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { readBy } from '../../test/read-by.ts'

describe('ingest', () => {
  test('a read becomes a row, a position and an event with the current names', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - 1_000 }])])
    expect(await scans(tracking)).toEqual([
      { asset_id: asset.id, location_id: dock.id, observed_at: new Date(NOW - 1_000).toISOString() },
    ])
    expect(await events(tracking)).toEqual([
      expect.objectContaining({
        org_id: 1,
        occurred_at: new Date(NOW - 1_000).toISOString(),
        asset: { id: asset.id, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
        from_location: null,
        to_location: { id: dock.id, name: 'Dock' },
      }),
    ])
  })

  test('the first location of a minute wins, and a move within it counts in the next minute', async ({
    tracking,
  }) => {
    const { dock, shelf } = await warehouse(tracking)
    const base = NOW - 10 * 60_000
    await ingest(tracking, [
      message(1, [
        { value: 'E280', at: base, antenna: 1 },
        { value: 'E280', at: base + 30_000, antenna: 2 },
      ]),
    ])
    await ingest(
      tracking,
      [message(1, [{ value: 'E280', at: base + 40_000, antenna: 2 }])],
      new RecentMinutes(),
    )
    expect((await events(tracking)).map((e) => e.to_location.id)).toEqual([dock.id])
    await ingest(tracking, [message(1, [{ value: 'E280', at: base + 60_000, antenna: 2 }])])
    expect((await events(tracking)).map((e) => [e.from_location?.id, e.to_location.id])).toEqual([
      [undefined, dock.id],
      [dock.id, shelf.id],
    ])
  })

  test('the same message twice, also in another process, makes one row and one event', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const twice = message(1, [{ value: 'E280', at: NOW - 5_000 }])
    await ingest(tracking, [twice, twice])
    await ingest(tracking, [twice])
    await ingest(tracking, [twice], new RecentMinutes())
    expect(await scans(tracking)).toHaveLength(1)
    expect(await events(tracking)).toHaveLength(1)
  })

  test('D8.7 a late scan fills history, moves no asset and makes no event', async ({ tracking }) => {
    const { dock } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - 60_000, antenna: 1 }])])
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - 3_600_000, antenna: 2 }])])
    expect(await scans(tracking)).toHaveLength(2)
    expect(await events(tracking)).toHaveLength(1)
    const position = await tracking.db.selectFrom('position').selectAll().executeTakeFirstOrThrow()
    expect(position).toMatchObject({
      location_id: dock.id,
      observed_at: new Date(NOW - 60_000).toISOString(),
    })
  })

  test('a deleted origin is null in the event', async ({ tracking }) => {
    const { dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - 120_000, antenna: 1 }])])
    tracking.view.applyLocation({
      ...dock,
      revision: dock.revision + 1_000,
      deleted_at: new Date().toISOString(),
    })
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - 60_000, antenna: 2 }])])
    expect((await events(tracking)).at(-1)).toMatchObject({
      from_location: null,
      to_location: { id: shelf.id },
    })
  })

  test('D8.8 a location key in the message wins, also on an unconfigured reader', async ({ tracking }) => {
    const { shelf } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', location: 'SHELF' }], 'handheld-9')])
    expect((await scans(tracking)).map((s) => s.location_id)).toEqual([shelf.id])
  })

  test('D8.8 an unknown antenna records no scan; a scan point without location records one without', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', antenna: 9 }])])
    expect(await scans(tracking)).toEqual([])
    await ingest(tracking, [message(1, [{ value: 'E280', antenna: 3 }])])
    expect((await scans(tracking)).map((s) => s.location_id)).toEqual([null])
    expect(await events(tracking)).toEqual([])
  })

  test('a tag value of another organization is an unknown tag', async ({ tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [message(2, [{ value: 'E280', location: 'DOCK' }])])
    expect(await scans(tracking)).toEqual([])
  })

  test('D16.5 of a code with any filter value finds the new tag of its pure identity', async ({
    tracking,
  }) => {
    const { asset } = await warehouse(tracking)
    tracking.catalog.tag(asset, 'urn:epc:id:sgtin:0614141.812345.6789')
    await ingest(tracking, [message(1, [{ value: '3074257BF7194E4000001A85' }])])
    tracking.catalog.isUnreachable = true // the next read needs no question
    await ingest(tracking, [message(1, [{ value: '3034-257BF7194E4000001A85', at: NOW - 60_000 }])])
    expect(await tracking.db.selectFrom('scan').select('asset_id').execute()).toEqual([
      { asset_id: asset.id },
      { asset_id: asset.id },
    ])
  })

  test('asks catalog for a new tag before it counts as unknown', async ({ tracking }) => {
    const { catalog } = tracking
    await warehouse(tracking)
    catalog.tag(catalog.asset(1, 'Newborn'), 'AA01')
    await ingest(tracking, [message(1, [{ value: 'AA01' }])])
    expect(await scans(tracking)).toHaveLength(1)
  })

  test('asks for an unknown tag once a second, not with every read', async ({ tracking }) => {
    await warehouse(tracking)
    const before = tracking.catalog.requests.length
    for (let i = 0; i < 5; i += 1) await ingest(tracking, [message(1, [{ value: 'FFFF' }])])
    expect(tracking.catalog.requests.length - before).toBe(1)
  })

  test('without catalog, a batch with an unknown tag is not acknowledged or stored', async ({ tracking }) => {
    await warehouse(tracking)
    tracking.catalog.isUnreachable = true
    const reads = [message(1, [{ value: 'E280' }, { value: 'FFFF' }])]
    await expect(ingest(tracking, reads)).rejects.toThrow('catalog is not reachable')
    expect(await scans(tracking)).toEqual([])
    tracking.catalog.isUnreachable = false
    await ingest(tracking, reads)
    expect(await scans(tracking)).toHaveLength(1)
  })

  test('a rolled back batch is redelivered and stored', async ({ tracking }) => {
    await warehouse(tracking)
    await sql`alter table outbox rename to outbox_away`.execute(tracking.db)
    const reads = [message(1, [{ value: 'E280' }])]
    await expect(ingest(tracking, reads)).rejects.toThrow(/outbox/)
    await sql`alter table outbox_away rename to outbox`.execute(tracking.db)
    await ingest(tracking, reads)
    expect(await events(tracking)).toHaveLength(1)
  })

  test('a message that cannot be decoded is poison and is counted on its reader', async ({ tracking }) => {
    const consumer = ingestConsumer(tracking.ingest)
    const garbage = { ...message(1, []), data: Buffer.from('\u0001not json') }
    expect(() => consumer.decode(garbage)).toThrow(/not a canonical message/)
    expect(() => consumer.decode({ ...garbage, subject: 'scans.1.dock-1.nonsense' })).toThrow(
      /unknown format/,
    )
    for (let n = 0; n < 100; n += 1) expect(() => consumer.decode(garbage)).toThrow()
    expect(await tracking.registry.metrics()).toContain(
      'ingest_organizations_with_unusable_messages{service="tracking"} 1',
    )
    await tracking.health.flush()
    const { data } = (await tracking.call('GET', '/readers')).json()
    expect(data).toEqual([
      expect.objectContaining({
        reader_key: 'dock-1',
        configured: false,
        health: expect.objectContaining({
          messages_buried: 102,
          last_problem: expect.stringContaining('not a canonical message'),
        }),
      }),
    ])
  })
})

describe('two replicas', () => {
  test('that store the same and overlapping rows at once leave one row and one event per movement', async ({
    tracking,
  }) => {
    const { dock, shelf } = await warehouse(tracking)
    const other = openDatabase<Tables>(tracking.url, { max: 4 })
    const assets = Array.from({ length: 40 }, (_, i) => tracking.catalog.asset(1, `Tote ${i}`))
    await tracking.project()
    const rows = (minute: number, locationId: number): Observation[] =>
      assets.map(({ id }) => ({
        orgId: 1,
        assetId: id,
        minute: minuteOf(NOW) - minute,
        observedAtMs: NOW - minute * 60_000,
        locationId,
        ...readBy('dock-1'),
      }))
    const [first, second] = [rows(3, dock.id), rows(2, shelf.id)]
    await Promise.all([
      store(tracking.db, tracking.view, [...first, ...second]),
      store(other.db, tracking.view, [...second, ...first].toReversed()),
      store(tracking.db, tracking.view, first),
      store(other.db, tracking.view, second),
    ])
    await other.close()
    expect(await scans(tracking)).toHaveLength(80)
    const moved = await events(tracking)
    // If a first row is stored before its second, it moves the asset; otherwise it only fills history.
    expect(new Set(moved.map((e) => e.delivery_id)).size).toBe(moved.length)
    const last = await tracking.db
      .selectFrom('position')
      .select('location_id')
      .where(
        'asset_id',
        'in',
        assets.map(({ id }) => id),
      ) // oxfmt-ignore
      .execute()
    expect(last.every((p) => p.location_id === shelf.id)).toBe(true)
  })
})

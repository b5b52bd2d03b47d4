import { describe, expect } from 'vitest'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tables } from '../../db.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { store } from '../../../test/store.ts'
import { log, test } from '../../../test/tracking.fixture.ts'
import {
  counts,
  events,
  history,
  iso,
  moves,
  NOW,
  read,
  report,
  save,
  scene,
} from '../../../test/inventory/inventory.fixture.ts'
import { inventoryHandlers } from './inventory.handlers.ts'

describe('D8.5 inventory save', () => {
  test('answers 201 with the saved location, and is in report, history and events', async ({ tracking }) => {
    const { one, dock } = await scene(tracking)
    const res = await save(tracking, ['ONE', 'TWO', 'ONE'], 'DOCK')
    expect(res.statusCode).toBe(201)
    expect(res.json()).toEqual({
      data: { count: 2, location_id: dock.id, location_name: 'Dock', timestamp: iso(NOW) },
    })
    expect(await report(tracking)).toEqual([
      ['ONE', 'DOCK', iso(NOW), iso(NOW)],
      ['TWO', 'DOCK', iso(NOW), iso(NOW)],
    ])
    expect(await history(tracking, one)).toMatchObject([
      { event_observed_at: iso(NOW), location_external_key: 'DOCK', duration_seconds: null },
    ])
    expect(await events(tracking)).toMatchObject([
      {
        org_id: 1,
        kind: 'save',
        occurred_at: iso(NOW),
        asset: { id: one.id, external_key: 'ONE', name: 'One' },
        from_location: null,
        to_location: { id: dock.id, name: 'Dock' },
      },
      { asset: { external_key: 'TWO' } },
    ])
  })

  test('D1.5 the legacy vocabulary has the same operation with the same names', async ({ tracking }) => {
    await scene(tracking)
    const body = { asset_identifiers: ['ONE'], location_identifier: 'DOCK' }
    const res = await tracking.call('POST', '/inventory/save', { base: LEGACY_PREFIX, body })
    expect(res.statusCode).toBe(201)
    expect(res.json().data).toMatchObject({ count: 1, location_name: 'Dock' })
  })

  test('overwrites the row of its minute and makes an event at once, from the overridden location', async ({
    tracking,
  }) => {
    const { one, dock, shelf } = await scene(tracking)
    await store(tracking.db, tracking.view, [read(one, dock, NOW - 300_000), read(one, shelf, NOW - 5_000)])
    await save(tracking, ['ONE'], 'DOCK')
    expect(await history(tracking, one)).toMatchObject([
      { event_observed_at: iso(NOW), location_id: dock.id, duration_seconds: 300 },
      { event_observed_at: iso(NOW - 300_000), location_id: dock.id },
    ])
    expect((await moves(tracking)).at(-1)).toEqual(['save', 'ONE', 'Shelf', 'Dock'])
    const row = await tracking.db
      .selectFrom('scan')
      .select(['reader_key', 'antenna'])
      .where('observed_at', '=', iso(NOW))
      .executeTakeFirst()
    expect(row).toEqual({ reader_key: null, antenna: null })
  })

  test('D8.2 continues the dwell that a wrong read of this minute had ended', async ({ tracking }) => {
    const { one, dock, shelf } = await scene(tracking)
    await store(tracking.db, tracking.view, [read(one, dock, NOW - 300_000), read(one, dock, NOW - 240_000)])
    await store(tracking.db, tracking.view, [read(one, shelf, NOW - 5_000)])
    await save(tracking, ['ONE'], 'DOCK')
    expect(await report(tracking)).toEqual([['ONE', 'DOCK', iso(NOW), iso(NOW - 300_000)]])
    await save(tracking, ['ONE'], 'SHELF')
    expect(await report(tracking)).toEqual([['ONE', 'SHELF', iso(NOW + 1), iso(NOW + 1)]])
  })

  test('at the current location, it overwrites the row without an event, and the dwell continues', async ({
    tracking,
  }) => {
    const { one, dock } = await scene(tracking)
    await store(tracking.db, tracking.view, [read(one, dock, NOW - 300_000), read(one, dock, NOW - 5_000)])
    expect((await save(tracking, ['ONE'], 'DOCK')).statusCode).toBe(201)
    expect(await moves(tracking)).toEqual([['scan', 'ONE', undefined, 'Dock']])
    expect(await report(tracking)).toEqual([['ONE', 'DOCK', iso(NOW), iso(NOW - 300_000)]])
  })

  test('answers the same when repeated, without another event', async ({ tracking }) => {
    const { one } = await scene(tracking)
    const first = await save(tracking, ['ONE'], 'DOCK')
    const again = await save(tracking, ['ONE'], 'DOCK')
    expect(again.statusCode).toBe(201)
    expect(again.json()).toEqual(first.json())
    expect(await moves(tracking)).toHaveLength(1)
    expect(await history(tracking, one)).toHaveLength(1)
  })

  test('a read later in its minute changes nothing; one in the next minute moves the asset', async ({
    tracking,
  }) => {
    const { one, shelf } = await scene(tracking)
    await save(tracking, ['ONE'], 'DOCK')
    await store(tracking.db, tracking.view, [read(one, shelf, NOW + 30_000)])
    expect(await report(tracking)).toEqual([['ONE', 'DOCK', iso(NOW), iso(NOW)]])
    await store(tracking.db, tracking.view, [read(one, shelf, NOW + 60_000)])
    expect(await report(tracking)).toEqual([['ONE', 'SHELF', iso(NOW + 60_000), iso(NOW + 60_000)]])
    expect(await moves(tracking)).toEqual([
      ['save', 'ONE', undefined, 'Dock'],
      ['scan', 'ONE', 'Dock', 'Shelf'],
    ])
  })

  test('a read on its way while the save is stored is late and only fills history', async ({ tracking }) => {
    const { one, shelf } = await scene(tracking)
    await save(tracking, ['ONE'], 'DOCK')
    await store(tracking.db, tracking.view, [read(one, shelf, NOW - 60_000), read(one, shelf, NOW - 1_000)])
    expect(await report(tracking)).toEqual([['ONE', 'DOCK', iso(NOW), iso(NOW)]])
    expect(await history(tracking, one)).toHaveLength(2)
    expect(await moves(tracking)).toHaveLength(1)
  })

  test.for([
    { name: 'the same minute', ahead: 15_000 },
    { name: 'the next minute', ahead: 55_000 },
  ])(
    'ADR 20 it is visible although a fast clock left a row later in $name',
    async ({ ahead }, { tracking }) => {
      const { one, shelf } = await scene(tracking)
      await store(tracking.db, tracking.view, [read(one, shelf, NOW + ahead)])
      const res = await save(tracking, ['ONE'], 'DOCK')
      expect(res.json().data.timestamp).toBe(iso(NOW))
      const counted = iso(NOW + ahead + 1)
      expect(await report(tracking)).toEqual([['ONE', 'DOCK', counted, counted]])
      expect(await history(tracking, one)).toMatchObject([
        { event_observed_at: counted, location_external_key: 'DOCK' },
      ])
      // By `occurred_at`, the order for receivers, the save comes last.
      expect((await events(tracking)).map((e) => [e.occurred_at, e.to_location.name])).toEqual([
        [iso(NOW + ahead), 'Shelf'],
        [counted, 'Dock'],
      ])
    },
  )

  test('the same keys of another organization do not resolve, and its assets do not change', async ({
    tracking,
  }) => {
    await scene(tracking)
    const res = await save(tracking, ['ONE'], 'DOCK', 2)
    expect(res.json().error.fields).toMatchObject([
      { field: 'location_identifier', code: 'fk_not_found' },
      { field: 'asset_identifiers', code: 'fk_not_found' },
    ])
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })
})

describe('D8.5 a value that does not resolve', () => {
  test('has its own error entry, and nothing is saved', async ({ tracking }) => {
    await scene(tracking)
    const res = await save(tracking, ['ONE', 'NONE-1', 'NONE-2', 'NONE-1'], 'NOWHERE')
    expect(res.statusCode).toBe(400)
    const { error } = res.json()
    expect(error.fields.map((f: { params: object }) => f.params)).toEqual([
      { value: 'NOWHERE' },
      { value: 'NONE-1' },
      { value: 'NONE-2' },
    ])
    expect(error.detail).toBe(
      'location_identifier: NOWHERE does not name a live location (and 2 more validation errors)',
    )
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })

  test('has an entry for each of ten thousand', async ({ tracking }) => {
    await scene(tracking)
    const keys = Array.from({ length: 10_000 }, (_, i) => `NONE-${i}`)
    const { error } = (await save(tracking, keys, 'DOCK')).json()
    expect(error.fields).toHaveLength(10_000)
    expect(error.detail).toMatch(/ \(and 9999 more validation errors\)$/)
  })

  test('a deleted asset or location does not resolve once it is deleted', async ({ tracking }) => {
    const { one, dock } = await scene(tracking)
    // Not in the projection: neither table nor view know it yet.
    tracking.catalog.change(one, { deleted_at: iso(NOW) })
    tracking.catalog.change(dock, { deleted_at: iso(NOW) })
    const { error } = (await save(tracking, ['ONE', 'TWO'], 'DOCK')).json()
    expect(error.fields).toMatchObject([{ params: { value: 'DOCK' } }, { params: { value: 'ONE' } }])
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })

  test('D7.1 resources that lists hide resolve: expired, not yet valid, inactive', async ({ tracking }) => {
    const { catalog } = tracking
    const expired = { valid_to: '2021-01-01T00:00:00.000Z' }
    catalog.asset(1, 'Expired', expired)
    catalog.asset(1, 'Future', { valid_from: '2099-01-01T00:00:00.000Z' })
    catalog.asset(1, 'Idle', { is_active: false })
    catalog.location(1, 'Closed', { ...expired, is_active: false })
    const res = await save(tracking, ['EXPIRED', 'FUTURE', 'IDLE'], 'CLOSED')
    expect(res.statusCode).toBe(201)
    expect(await counts(tracking)).toEqual([3, 3, 3])
  })
})

describe('D8.9 an asset that was created a moment ago', () => {
  test('is saved, and is in report and history once the save is answered', async ({ tracking }) => {
    const { catalog } = tracking
    const asset = catalog.asset(1, 'Newborn')
    catalog.location(1, 'New dock')
    expect((await save(tracking, ['NEWBORN'], 'NEW-DOCK')).statusCode).toBe(201)
    expect((await report(tracking)).map((row) => row.slice(0, 2))).toEqual([['NEWBORN', 'NEW-DOCK']])
    expect(await history(tracking, asset)).toMatchObject([{ location_external_key: 'NEW-DOCK' }])
    expect(await moves(tracking)).toEqual([['save', 'NEWBORN', undefined, 'New dock']])
  })

  test('a rename that has not arrived is in the answer, the event and the reports', async ({ tracking }) => {
    const { one, dock } = await scene(tracking)
    tracking.catalog.change(one, { name: 'One renamed' })
    tracking.catalog.change(dock, { name: 'Dock renamed' })
    const res = await save(tracking, ['ONE'], 'DOCK')
    expect(res.json().data.location_name).toBe('Dock renamed')
    const [event] = await events(tracking)
    expect(event).toMatchObject({ asset: { name: 'One renamed' }, to_location: { name: 'Dock renamed' } })
    const { rows } = await sql<{ name: string }>`select name from asset where id = ${one.id}`.execute(
      tracking.db,
    )
    expect(rows).toEqual([{ name: 'One renamed' }])
  })

  test('asks once for an origin that only another replica knows', async ({ tracking }) => {
    const { one, shelf } = await scene(tracking)
    await store(tracking.db, tracking.view, [read(one, shelf, NOW - 60_000)])
    tracking.view.clear() // like a replica that has just started
    tracking.catalog.requests = []
    await save(tracking, ['ONE'], 'DOCK')
    expect((await moves(tracking)).at(-1)).toEqual(['save', 'ONE', 'Shelf', 'Dock'])
    const asked = tracking.catalog.requests.filter((q) => q.location_ids?.includes(shelf.id))
    expect(asked).toHaveLength(1)
  })
})

describe('if a dependency is not reachable', () => {
  test('catalog: 503 with Retry-After, and nothing is saved', async ({ tracking }) => {
    await scene(tracking)
    tracking.catalog.isUnreachable = true
    const res = await save(tracking, ['ONE'], 'DOCK')
    expect(res.statusCode).toBe(503)
    expect(res.headers['retry-after']).toBe('1')
    expect(res.json().error).toMatchObject({
      type: 'service_unavailable',
      detail: 'The service is temporarily unavailable',
    })
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })

  test('an asset that is locked for longer than a statement may take: 503, and nothing is saved', async ({
    tracking,
  }) => {
    const { one } = await scene(tracking)
    const hasty = openTenantDatabase<Tables>(tracking.url, { max: 1, name: 'hasty', statementTimeoutMs: 100 })
    const { view, ask, resolver, wakeOutbox, rulesOf, book } = {
      ...tracking.ingest,
      ask: tracking.catalog.ask,
    }
    const { saveInventory } = inventoryHandlers({
      db: hasty,
      view,
      ask,
      resolver,
      wakeOutbox,
      rulesOf,
      book,
      log,
    })
    const body = { asset_identifiers: ['ONE', 'TWO'], location_identifier: 'DOCK' }
    await tracking.db.transaction().execute(async (tx) => {
      await lockPositions(tx, [{ orgId: 1, assetId: one.id }])
      const refused = saveInventory({ principal: { orgId: 1 }, body } as Parameters<typeof saveInventory>[0])
      await expect(refused).rejects.toMatchObject({ type: 'service_unavailable' })
    })
    await hasty.close()
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })

  test('a transaction that fails changes nothing', async ({ tracking }) => {
    const { catalog } = tracking
    catalog.asset(1, 'Newborn')
    catalog.location(1, 'Dock')
    await sql`alter table outbox rename to outbox_away`.execute(tracking.db)
    expect((await save(tracking, ['NEWBORN'], 'DOCK')).statusCode).toBe(500)
    await sql`alter table outbox_away rename to outbox`.execute(tracking.db)
    expect(await counts(tracking)).toEqual([0, 0, 0])
    const { rows } = await sql`select from asset union all select from location`.execute(tracking.db)
    expect(rows).toEqual([])
    expect((await save(tracking, ['NEWBORN'], 'DOCK')).statusCode).toBe(201)
  })
})

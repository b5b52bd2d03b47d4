import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { ingest, message, NOW, warehouse } from '../../../../test/ingest/warehouse.fixture.ts'
import { readBy } from '../../../../test/read-by.ts'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../../../positions/observation.ts'
import { DAY_MS } from '../../../positions/packed/day-rows.ts'
import { packStep } from '../../../positions/packed/packer.ts'

const MINUTE = 60_000
const iso = (ms: number) => new Date(ms).toISOString()

const seen = (orgId: number, assetId: number, locationId: number, observedAtMs: number): Observation => ({
  ...readBy('dock-1'),
  orgId,
  assetId,
  locationId,
  observedAtMs,
  minute: minuteOf(observedAtMs),
})

async function erase(tracking: Tracking, assetId: number, body: unknown = {}, orgId = 1) {
  const as = { role: 'admin' } as const
  const response = await tracking.call('POST', `/assets/${assetId}/erase`, { body, orgId, as })
  return response.statusCode === 200 ? response.json().data : response.statusCode
}

const times = async (tracking: Tracking, assetId: number, path = 'history', orgId = 1) =>
  (await tracking.call('GET', `/assets/${assetId}/${path}`, { orgId }))
    .json()
    .data.map((row: { event_observed_at: string }) => row.event_observed_at)

const listed = async (tracking: Tracking, orgId = 1) =>
  (await tracking.call('GET', '/reports/asset-locations', { orgId })).json()

describe('D22.2 erasing the history of an asset', () => {
  test('removes it everywhere, as if the asset had never been seen, and the next read finds it again', async ({
    tracking,
  }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    for (const [round, minutes] of [3, 2, 1].entries()) {
      await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - minutes * MINUTE, antenna: 1 }])])
      await ingest(tracking, [message(1, [{ value: 'E280', at: NOW - minutes * MINUTE + 1, antenna: 2 }])])
      expect((await listed(tracking)).total_count).toBe(1)
      expect(await erase(tracking, asset.id)).toEqual({ rows: 1, movements: 1 })
      expect(await erase(tracking, asset.id), `round ${round}`).toEqual({ rows: 0, movements: 0 })
      expect(await times(tracking, asset.id)).toEqual([])
      expect(await times(tracking, asset.id, 'sightings')).toEqual([])
      expect(await listed(tracking)).toMatchObject({ data: [], total_count: 0 })
      const { data } = (await tracking.call('GET', '/movements')).json()
      expect(data).toEqual([])
      const known = await tracking.db.selectFrom('position').select(['evidence', 'carry_at']).execute()
      expect(known).toEqual([{ evidence: null, carry_at: null }])
    }
    const occupied = await tracking.db.selectFrom('asset_place').selectAll().execute()
    expect(occupied).toEqual([])
    await ingest(tracking, [message(1, [{ value: 'E280', at: NOW, antenna: 2 }])])
    expect((await listed(tracking)).data).toMatchObject([{ asset_id: asset.id, location_id: shelf.id }])
    expect(dock.id).not.toBe(shelf.id)
  })

  test('lets the next read of the same minute in, and drops what waits in memory', async ({ tracking }) => {
    const { asset, shelf } = await warehouse(tracking)
    const { recent } = tracking.ingest
    for (const ms of [1_000, 11_000, 21_000]) {
      const at = NOW - MINUTE + ms
      await ingest(tracking, [message(1, [{ value: 'E280', at, antenna: 1 }])])
      await ingest(tracking, [message(1, [{ value: 'E280', at: at + 1, antenna: 2 }])])
      // Kept in memory until the minute is over.
      await ingest(tracking, [message(1, [{ value: 'E280', at: at + 2, antenna: 1 }])])
      expect(await times(tracking, asset.id)).toEqual([iso(at)])
      const isPending = () => recent.isStored(asset.id, at + 1, shelf.id, null, false)
      expect(isPending()).toBe(true)
      expect(await erase(tracking, asset.id)).toEqual({ rows: 1, movements: 1 })
      await expect.poll(isPending).toBe(false)
      await tracking.lastReads.stop()
      expect(await times(tracking, asset.id)).toEqual([])
    }
  })

  test('keeps what is outside, both ends included, and moves the position to the newest row left', async ({
    tracking,
  }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    const at = (minutes: number) => NOW - 10 * DAY_MS + minutes * MINUTE
    const rows = [dock, dock, shelf, shelf, dock].map(({ id }, n) => seen(1, asset.id, id, at(n)))
    await store(tracking.db, tracking.view, rows)
    expect(await erase(tracking, asset.id, { from: iso(at(2)), to: iso(at(3)) })).toEqual({
      rows: 2,
      movements: 1,
    })
    expect(await times(tracking, asset.id)).toEqual([4, 1, 0].map((n) => iso(at(n))))
    // It never left the dock.
    const { data } = (await tracking.call('GET', '/movements')).json()
    expect(data).toMatchObject([{ occurred_at: iso(at(0)), from_location: null }])
    expect((await listed(tracking)).data).toMatchObject([
      { asset_last_seen: iso(at(4)), dwell_started_at: iso(at(0)), location_id: dock.id },
    ])
    expect(await erase(tracking, asset.id, { from: iso(at(4)) })).toEqual({ rows: 1, movements: 0 })
    expect((await listed(tracking)).data).toMatchObject([{ asset_last_seen: iso(at(1)) }])
    expect(await erase(tracking, asset.id, { to: iso(at(0)) })).toEqual({ rows: 1, movements: 1 })
    expect((await listed(tracking)).data).toMatchObject([
      { asset_last_seen: iso(at(1)), dwell_started_at: iso(at(1)), location_id: dock.id },
    ])
  })

  test('works for a deleted asset; one of another organization is as unknown as none', async ({
    tracking,
  }) => {
    const { catalog, db, view } = tracking
    const [mine, theirs] = [catalog.asset(1, 'Badge'), catalog.asset(2, 'Badge')]
    await tracking.project()
    await store(db, view, [seen(1, mine.id, 7, NOW), seen(2, theirs.id, 7, NOW)])
    expect(await erase(tracking, theirs.id)).toBe(404)
    expect(await erase(tracking, 1)).toBe(404)
    expect(await times(tracking, theirs.id, 'history', 2)).toEqual([iso(NOW)])
    catalog.change(mine, { deleted_at: iso(NOW) })
    await tracking.project()
    expect(await erase(tracking, mine.id)).toEqual({ rows: 1, movements: 1 })
    expect(await db.selectFrom('scan').select('org_id').execute()).toEqual([{ org_id: 2 }])
  })

  test('is refused for a range that ends before it begins, and any other range is taken', async ({
    tracking,
  }) => {
    const { asset } = await warehouse(tracking)
    const path = `/assets/${asset.id}/erase`
    const refused = await tracking.call('POST', path, {
      body: { from: iso(NOW), to: iso(NOW - 1) },
      as: { role: 'admin' },
    })
    expect(refused.json().error.fields).toEqual([
      { field: 'to', code: 'invalid_value', message: 'to must not be before from' },
    ])
    expect(await erase(tracking, asset.id, { from: iso(NOW), to: iso(NOW) })).toEqual({
      rows: 0,
      movements: 0,
    })
    expect(await erase(tracking, asset.id, { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' })).toEqual({ rows: 0, movements: 0 }) // oxfmt-ignore
  })

  test('of a year of packed days and of a year of rows leaves nothing behind, nor what was half packed', async ({
    tracking,
  }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    const { db } = tracking
    await sql`update history_packing set starts_at = '-infinity'`.execute(db)
    const begin = Math.floor(NOW / DAY_MS) * DAY_MS - 200 * DAY_MS
    for (const day of Array.from({ length: 200 }, (_, n) => begin + n * DAY_MS))
      await sql`select make_history_day(${iso(day).slice(0, 10)}::date)`.execute(db)
    const fill = () =>
      sql`
      insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
      select 1, ${asset.id}, m, m, case when extract(hour from m)::int % 2 = 0 then ${dock.id}::bigint else ${shelf.id}::bigint end, 'dock-1', 1
      from generate_series(${iso(begin)}::timestamptz, ${iso(begin)}::timestamptz + interval '199 days', interval '1 hour') m`.execute(
        db,
      )
    await sql`alter table scan disable trigger scan_moved`.execute(db)
    await fill()
    const total = 199 * 24 + 1
    // Half of it packed, and a part of the rest before it counts.
    await packStep(db, { now: () => begin + 103 * DAY_MS, batchRows: 100_000 })
    while ((await packStep(db, { now: () => begin + 103 * DAY_MS })).outcome !== 'done') continue
    await packStep(db, { now: () => begin + 203 * DAY_MS })
    const { rows: left } = await sql<{ n: number }>`select count(*)::int as n from day_packed`.execute(db)
    expect(left[0]?.n).toBeGreaterThan(90)
    await sql`create table in_flight as select d.* from day_packed d, history_packing where day >= packed_until`.execute(
      db,
    )
    const cut = { from: iso(begin + DAY_MS / 2), to: iso(begin + 150.5 * DAY_MS) }
    expect(await erase(tracking, asset.id, cut)).toMatchObject({ rows: 150 * 24 + 1 })
    // A step that had read the rows before commits after it.
    await sql`insert into day_packed select * from in_flight on conflict do nothing`.execute(db)
    while ((await packStep(db, { now: () => begin + 203 * DAY_MS })).outcome !== 'done') continue
    const page = await tracking.call('GET', `/assets/${asset.id}/history`)
    expect(page.json().total_count).toBe(total - 150 * 24 - 1)
    expect(await erase(tracking, asset.id)).toMatchObject({ rows: total - 150 * 24 - 1 })
    for (const table of ['scan', 'day_packed', 'movement'] as const)
      expect(await db.selectFrom(table).select('org_id').execute(), table).toEqual([])
  })
})

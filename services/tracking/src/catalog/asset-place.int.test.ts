import { openDatabase } from '@whereabouts/db/connect/database'
import { sql, type Kysely, type Selectable } from 'kysely'
import { expect, vi } from 'vitest'
import { up as fillAssetPlace } from '../../migrations/0005_fill_asset_place.ts'
import type { Tables } from '../db.ts'
import { minuteOf, type Observation } from '../positions/observation.ts'
import { store } from '../../test/store.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { upsertAssets } from './projections.queries.ts'
import { readBy } from '../../test/read-by.ts'

const NOW = Math.floor(Date.now() / 60_000) * 60_000
const GONE = '2026-11-20T00:00:00.000Z'

const seen = (assetId: number, locationId: number | null, minutesAgo: number): Observation => ({
  orgId: 1,
  assetId,
  minute: minuteOf(NOW) - minutesAgo,
  observedAtMs: NOW - minutesAgo * 60_000,
  locationId,
  ...readBy('r'),
})

/** The rows that the triggers keep, and the expected ones, computed from the tables that the service writes. */
async function kept(db: Kysely<Tables>) {
  const validity = ['valid_from', 'valid_to', 'deleted_at'] as const
  const place = await db.selectFrom('asset_place').selectAll().orderBy('asset_id').execute()
  const scanned = await db
    .selectFrom('asset')
    .select('id')
    .where('is_scanned', '=', true)
    .orderBy('id')
    .execute()
  const carried = await db
    .selectFrom('position')
    .select(['asset_id', ...validity])
    .orderBy('asset_id')
    .execute()
  return { place, scanned, carried }
}

async function owed(db: Kysely<Tables>): Promise<Awaited<ReturnType<typeof kept>>> {
  const { rows: place } = await sql<Selectable<Tables['asset_place']>>`
    select p.org_id, p.asset_id, p.location_id, a.valid_from, a.valid_to, a.deleted_at, a.home_location_id
    from position p join asset a on a.org_id = p.org_id and a.id = p.asset_id
    where isfinite(p.minute) order by p.asset_id`.execute(db)
  const { rows: carried } = await sql<Awaited<ReturnType<typeof kept>>['carried'][number]>`
    select p.asset_id, a.valid_from, a.valid_to, a.deleted_at
    from position p left join asset a on a.org_id = p.org_id and a.id = p.asset_id
    order by p.asset_id`.execute(db)
  return { place, scanned: place.map(({ asset_id: id }) => ({ id })), carried }
}

async function expectTrue({ db }: Tracking): Promise<void> {
  expect(await kept(db)).toEqual(await owed(db))
}

test('an asset is listed once it has a first scan and a first state, in either order', async ({
  tracking,
}) => {
  const { catalog, db, view } = tracking
  const [known, unknown] = [catalog.asset(1, 'Known'), catalog.asset(1, 'Unknown')]
  await upsertAssets(db, [known])
  await store(db, view, [seen(known.id, 7, 3), seen(unknown.id, 7, 2)])
  expect((await kept(db)).place).toMatchObject([{ asset_id: known.id, location_id: 7 }])
  await upsertAssets(db, [unknown])
  expect((await kept(db)).scanned).toEqual([{ id: known.id }, { id: unknown.id }])
  await expectTrue(tracking)
})

test('D21.1 the home is copied, whether the asset is seen first or has a home first, three times in a row', async ({
  tracking,
}) => {
  const { catalog, db, view } = tracking
  const [before, after] = [catalog.asset(1, 'Before', { home_location_id: 7 }), catalog.asset(1, 'After')]
  await upsertAssets(db, [before, after])
  await store(db, view, [seen(before.id, 8, 3), seen(after.id, 8, 3)])
  for (const home_location_id of [8, null, 9]) {
    catalog.change(before, { home_location_id })
    catalog.change(after, { home_location_id })
    await upsertAssets(db, [before, after])
    expect((await kept(db)).place).toMatchObject([{ home_location_id }, { home_location_id }])
    // A reply of catalog has no home, and changes none.
    const { type: _, home_location_id: __, metadata: ___, ...identity } = before
    await upsertAssets(db, [{ ...identity, revision: before.revision }])
    await expectTrue(tracking)
  }
  // The table is emptied, and filled with states that have another home.
  await db.deleteFrom('asset').execute()
  for (const asset of [before, after]) catalog.change(asset, { home_location_id: null })
  await upsertAssets(db, [before, after])
  await expectTrue(tracking)
  expect((await kept(db)).place).toMatchObject([{ home_location_id: null }, { home_location_id: null }])
})

test('D21.1 a state that another release stored without its home gets it when it is published again', async ({
  tracking,
}) => {
  const { catalog, db } = tracking
  const asset = catalog.asset(1, 'Pallet', { home_location_id: 7 })
  const { home_location_id: _, ...old } = asset
  await upsertAssets(db, [old])
  await upsertAssets(db, [asset])
  const { rows } = await sql`select home_location_id from asset where id = ${asset.id}`.execute(db)
  expect(rows).toEqual([{ home_location_id: 7 }])
})

test('it is also listed if both come in the same instant, with either commit first', async ({ tracking }) => {
  const { catalog, db, url, view } = tracking
  const other = openDatabase<Tables>(url, { max: 2 })
  const [first, second] = [catalog.asset(1, 'First'), catalog.asset(1, 'Second')]
  const isWaiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  }
  const storing = db.transaction().execute(async (tx) => {
    await sql`insert into position (org_id, asset_id, minute, observed_at, location_id)
      values (1, ${first.id}, now(), now(), 7)`.execute(tx)
    const projecting = upsertAssets(other.db, [first])
    await vi.waitUntil(isWaiting)
    return { projecting }
  })
  await (
    await storing
  ).projecting
  const projecting = db.transaction().execute(async (tx) => {
    await upsertAssets(tx, [second])
    const scanning = store(other.db, view, [seen(second.id, 7, 1)])
    await vi.waitUntil(isWaiting)
    return { scanning }
  })
  await (
    await projecting
  ).scanning
  await other.close()
  expect((await kept(db)).scanned).toEqual([{ id: first.id }, { id: second.id }])
  await expectTrue(tracking)
})

test('moves, deletions and a changed validity are copied; a rescan at the same location writes nothing', async ({
  tracking,
}) => {
  const { catalog, db, view } = tracking
  const [a, b] = [catalog.asset(1, 'A'), catalog.asset(1, 'B')]
  await upsertAssets(db, [a, b])
  await store(db, view, [seen(a.id, 7, 9), seen(b.id, 7, 9)])
  await store(db, view, [seen(a.id, 8, 8), seen(b.id, null, 8)])
  await upsertAssets(db, [
    { ...a, revision: a.revision + 1000, valid_to: '2030-01-01T00:00:00.000Z' },
    { ...b, revision: b.revision + 1000, deleted_at: GONE },
  ])
  await expectTrue(tracking)
  expect((await kept(db)).place).toMatchObject([
    { location_id: 8, valid_to: '2030-01-01T00:00:00.000Z', deleted_at: null },
    { location_id: null, deleted_at: GONE },
  ])
  const writes = async () =>
    (await sql`select xmin::text from asset_place order by asset_id`.execute(db)).rows
  const before = await writes()
  await store(db, view, [seen(a.id, 8, 7), seen(b.id, null, 7)])
  expect(await writes()).toEqual(before)
})

test('the migration lists rows of the release before it, also if it runs twice', async ({ tracking }) => {
  const { catalog, db, view } = tracking
  const assets = Array.from({ length: 5 }, (_, i) => catalog.asset(1, `Tote ${i}`))
  const gone = { ...catalog.asset(2, 'Gone'), deleted_at: GONE }
  await db.connection().execute(async (old) => {
    await setTriggers(old, 'disable')
    await upsertAssets(old, [...assets, gone])
    await store(
      old,
      view,
      [...assets.slice(1), gone].map(({ id, org_id }) => Object.assign(seen(id, 7, 5), { orgId: org_id })),
    )
    await setTriggers(old, 'enable')
  })
  expect((await kept(db)).place).toEqual([])
  await fillAssetPlace(db as unknown as Kysely<unknown>)
  await expectTrue(tracking)
  expect((await kept(db)).scanned).toHaveLength(5)
  await fillAssetPlace(db as unknown as Kysely<unknown>)
  await expectTrue(tracking)
})

test('an emptied asset table lists nothing, and everything again once catalog has published all states', async ({
  tracking,
}) => {
  const { catalog, db, view } = tracking
  const assets = Array.from({ length: 3 }, (_, i) => catalog.asset(1, `Tote ${i}`))
  await tracking.project()
  await store(
    db,
    view,
    assets.map(({ id }) => seen(id, 7, 2)),
  )
  const before = await kept(db)
  await sql`truncate asset`.execute(db)
  expect(await kept(db)).toMatchObject({ place: [], scanned: [] })
  await tracking.project()
  expect(await kept(db)).toEqual(before)
  // Assets are also listed again if the table was emptied in another way.
  await db.deleteFrom('asset').execute()
  await tracking.project()
  expect(await kept(db)).toEqual(before)
})

async function setTriggers(db: Kysely<Tables>, to: 'enable' | 'disable'): Promise<void> {
  for (const table of ['asset', 'position'])
    await sql`alter table ${sql.table(table)} ${sql.raw(to)} trigger user`.execute(db)
}

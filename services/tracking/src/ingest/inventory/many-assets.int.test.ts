import { describe, expect } from 'vitest'
import { MAX_ASSET_KEYS } from '@whereabouts/contracts/messages/catalog-lookup'
import type { LocationState } from '@whereabouts/contracts/messages/catalog-state'
import { openDatabase } from '@whereabouts/db/connect/database'
import { sql } from 'kysely'
import type { Tables } from '../../db.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'
import { store } from '../../../test/store.ts'
import { CatalogView } from '../../catalog/catalog-view.ts'
import { upsertAssets } from '../../catalog/projections.queries.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { counts, iso, NOW, read, save } from '../../../test/inventory/inventory.fixture.ts'
import { readBy } from '../../../test/read-by.ts'

describe('ten thousand assets', { timeout: 60_000 }, () => {
  /** Known to the projections and seen before. */
  async function stocktaking(tracking: Tracking, count = 10_000) {
    const { catalog } = tracking
    const assets = Array.from({ length: count }, (_, i) => catalog.asset(1, `Tote ${i}`))
    const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
    await tracking.project()
    tracking.clock.stoppedAt = NOW
    await store(tracking.db, tracking.view, assets.map((asset) => read(asset, shelf, NOW - 60_000))) // oxfmt-ignore
    return { assets, keys: assets.map((asset) => asset.external_key), dock, shelf }
  }

  test('are requested in parts that catalog can answer, saved and announced', async ({ tracking }) => {
    const { keys } = await stocktaking(tracking)
    tracking.catalog.requests = []
    const res = await save(tracking, keys, 'DOCK')
    expect(res.json().data).toMatchObject({ count: 10_000 })
    const asked = tracking.catalog.requests.map((q) => q.asset_keys?.length ?? 0)
    expect(Math.max(...asked)).toBeLessThanOrEqual(MAX_ASSET_KEYS)
    expect(await counts(tracking)).toEqual([20_000, 10_000, 20_000])
  })

  test('never deadlock if saves, ingest and another replica use them at once', async ({ tracking }) => {
    const { assets, keys, dock, shelf } = await stocktaking(tracking, 1_000)
    const other = openDatabase<Tables>(tracking.url, { max: 4 })
    const rows = (minute: number, place: LocationState | null) =>
      assets.map((asset) => read(asset, place, NOW - 60_000 * minute))
    const backwards = keys.toReversed()
    const answers = await Promise.all([
      save(tracking, keys, 'DOCK'),
      store(tracking.db, tracking.view, rows(0, shelf)),
      save(tracking, backwards, 'SHELF'),
      store(other.db, tracking.view, rows(0, dock).toReversed()),
      save(tracking, keys, 'SHELF'),
      store(other.db, tracking.view, [...rows(2, dock), ...rows(0, null)]),
      save(tracking, backwards, 'DOCK'),
      store(tracking.db, new CatalogView(), rows(3, dock).toReversed()),
    ])
    await other.close()
    const statuses = answers.flatMap((answer) => ('statusCode' in answer ? [answer.statusCode] : []))
    expect(statuses).toEqual([201, 201, 201, 201])
    // The last save applies to all of its assets, because it was one transaction.
    const places = await tracking.db.selectFrom('position').select('location_id').distinct().execute()
    expect(places).toHaveLength(1)
  })

  test('never deadlock if no projection knows them and they are scanned for the first time', async ({
    tracking,
  }) => {
    const others = [1, 2].map(() => openDatabase<Tables>(tracking.url, { max: 1 }))
    for (const { db } of others) await sql`select`.execute(db) // connect first, so that both start at once
    for (let round = 1; round <= 5; round += 1) {
      const rows = Array.from({ length: 2_000 }, (_, i): Observation => {
        const at = NOW - 60_000 * round
        const place = { observedAtMs: at, minute: minuteOf(at), locationId: 7 }
        return { orgId: 1, assetId: round * 10_000 + i, ...place, ...readBy('gate') }
      })
      const halves = [rows, rows.toReversed()]
      await Promise.all(others.map(({ db }, i) => store(db, tracking.view, halves[i] ?? [])))
    }
    await Promise.all(others.map((other) => other.close()))
    expect(await counts(tracking)).toEqual([10_000, 10_000, 0])
  })

  test('never deadlock if first scans, saves and changes of catalog run at once', async ({ tracking }) => {
    const { catalog } = tracking
    const assets = Array.from({ length: 600 }, (_, i) => catalog.asset(1, `New ${i}`))
    const dock = catalog.location(1, 'Dock')
    await tracking.project()
    tracking.clock.stoppedAt = NOW
    const other = openDatabase<Tables>(tracking.url, { max: 4 })
    // None was ever scanned, so that the triggers of each table write into the other.
    const changes = (revision: number) =>
      assets.map((asset) => ({
        ...asset,
        revision: asset.revision + revision,
        valid_to: iso(NOW + 1e9 + revision),
      }))
    const rows = assets.map((asset) => read(asset, dock, NOW - 60_000))
    const keys = assets.map((asset) => asset.external_key)
    const answers = await Promise.all([
      upsertAssets(other.db, changes(1_000).toReversed()),
      save(tracking, keys.slice(0, 400).toReversed(), 'DOCK'),
      store(tracking.db, tracking.view, rows.slice(100).toReversed()),
      upsertAssets(tracking.db, changes(2_000)),
      store(other.db, tracking.view, rows.slice(0, 500)),
      save(tracking, keys.slice(200), 'DOCK'),
      upsertAssets(other.db, changes(3_000).toReversed()),
    ])
    await other.close()
    expect(
      answers.flatMap((answer) => (answer && 'statusCode' in answer ? [answer.statusCode] : [])),
    ).toEqual([201, 201])
    const [scans, seen] = await counts(tracking)
    expect(seen).toBe(600)
    expect(scans).toBeGreaterThanOrEqual(600)
    const { rows: revisions } = await sql`select distinct revision - id as changed from asset`.execute(
      tracking.db,
    )
    expect(revisions).toEqual([{ changed: 3_000 }])
  })
})

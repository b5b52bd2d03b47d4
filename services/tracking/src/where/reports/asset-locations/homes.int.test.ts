import { describe, expect } from 'vitest'
import { ids, NOW, seen } from '../../../../test/reports/scene.fixture.ts'
import { fillReport } from '../../../../test/reports/model.fixture.ts'
import { store } from '../../../../test/store.ts'
import { listMisplaced } from '../assets-at/misplaced-assets.responder.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { homeFilter } from '../home.sql.ts'
import { readAssetLocations, type ReportPage } from './asset-locations.queries.ts'
import type { AssetLocationsFilter, ReportSort } from './filter.ts'

/**
 * Site has a hall with a shelf, and there is a dock. `atHome` and `below` are at their home and below it, `away` is at the dock,
 * `roaming` has no home, `lost` no location, and `unseen` no read.
 */
async function scene(tracking: Tracking) {
  const { catalog, db, view } = tracking
  const site = catalog.location(1, 'Site')
  const hall = catalog.location(1, 'Hall', { parent_id: site.id })
  const shelf = catalog.location(1, 'Shelf', { parent_id: hall.id })
  const dock = catalog.location(1, 'Dock')
  const home = { home_location_id: hall.id }
  const make = (name: string, changes = {}) => catalog.asset(1, name, changes)
  const assets = {
    atHome: make('At home', home),
    below: make('Below a', home),
    away: make('Away', home),
    roaming: make('Roaming'),
    lost: make('Lost', home),
    unseen: make('Unseen', home),
  }
  const theirs = catalog.asset(2, 'Theirs', home)
  await tracking.project()
  for (const state of catalog.assets) view.applyAsset(state)
  await store(db, view, [
    seen(assets.atHome.id, hall.id, 9),
    seen(assets.below.id, shelf.id, 8),
    seen(assets.away.id, dock.id, 7),
    seen(assets.roaming.id, dock.id, 6),
    seen(assets.lost.id, null, 5),
    seen(theirs.id, dock.id, 4, 2),
  ])
  return { ...assets, theirs, site, hall, shelf, dock }
}

const report = async (tracking: Tracking, query: string, orgId = 1) => {
  const reply = await tracking.call('GET', `/reports/asset-locations?${query}`, { orgId })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply
}

/** The ids and the total of each way to read the same rows: found, walked by each order, named and searched, and in the past. */
async function listed(tracking: Tracking, query: string) {
  const all = tracking.catalog.assets.filter(({ org_id }) => org_id === 1)
  const ways = ['', 'sort=asset_external_key', 'sort=location_external_key', 'include_deleted=true', `at=${new Date(NOW).toISOString()}`,
    all.map(({ id }) => `asset_id=${id}`).join('&'), 'q=a&not_seen_since=2999-01-01T00:00:00Z', 'not_seen_since=2999-01-01T00:00:00Z'] // oxfmt-ignore
  const found = []
  for (const way of ways) {
    const reply = await report(tracking, `${query}&${way}`)
    found.push(ids(reply).toSorted((a, b) => a - b))
    expect([way, reply.json().total_count]).toEqual([way, found.at(-1)?.length])
  }
  return found
}

const each = (...assets: { id: number }[]) =>
  Array.from({ length: 8 }, () => assets.map(({ id }) => id).toSorted((a, b) => a - b))

const LIMIT = 5

/** All pages, and an empty one behind them. A row count above `sortAtMost` makes them walk an index. */
async function pagesOf(
  { tenants }: Tracking,
  orgId: number,
  filter: AssetLocationsFilter,
  sortAtMost: number,
) {
  const pages: ReportPage[] = []
  do {
    const page = { ...filter, limit: LIMIT, offset: pages.length * LIMIT }
    pages.push(await readAssetLocations(tenants.forOrg(orgId), orgId, page, sortAtMost))
  } while (pages.at(-1)?.rows.length)
  return pages
}

describe('D21.1 the report by home', () => {
  test('finds what is away, what is at home or below it, and neither what has no home or no location', async ({
    tracking,
  }) => {
    const { atHome, below, away, dock, hall, lost, theirs } = await scene(tracking)
    expect(await listed(tracking, 'misplaced=true')).toEqual(each(away))
    expect(await listed(tracking, 'misplaced=false')).toEqual(each(atHome, below))
    expect(await listed(tracking, `home_location_id=${hall.id}&misplaced=true`)).toEqual(each(away))
    expect(await listed(tracking, `home_location_id=${dock.id}&misplaced=true`)).toEqual(each())
    const withHome = await report(tracking, `home_location_id=${hall.id}&home_location_id=${dock.id}&limit=1`)
    expect(withHome.json()).toMatchObject({ total_count: 4, data: [{ asset_id: lost.id }] })
    // Another organization cannot have this home; its id alone finds nothing of ours.
    expect(ids(await report(tracking, `home_location_id=${hall.id}`, 2))).toEqual([theirs.id])
    expect(ids(await report(tracking, 'misplaced=true', 2))).toEqual([])
  })

  test('follows an asset that moves, three times in a row, and a home that changes', async ({ tracking }) => {
    const { catalog, db, view } = tracking
    const { atHome, below, away, dock, hall, shelf } = await scene(tracking)
    for (const [minutes, location, isAway] of [[4, shelf, false], [3, dock, true], [2, hall, false]] as const) {
      await store(db, view, [seen(away.id, location.id, minutes)])
      expect(await listed(tracking, 'misplaced=true')).toEqual(isAway ? each(away) : each())
      expect(await listed(tracking, 'misplaced=false')).toEqual(
        isAway ? each(atHome, below) : each(atHome, below, away),
      )
    } // oxfmt-ignore
    for (const [home, isAway] of [[dock, true], [null, false], [shelf, true]] as const) {
      catalog.change(away, { home_location_id: home && home.id })
      await tracking.project()
      view.applyAsset(away)
      expect(await listed(tracking, 'misplaced=true')).toEqual(isAway ? each(away) : each())
    } // oxfmt-ignore
  })

  test('follows a branch that moves into the home and out of it', async ({ tracking }) => {
    const { catalog } = tracking
    const { atHome, below, away, dock, hall, shelf } = await scene(tracking)
    for (const [place, parent, misplaced] of [
      [dock, hall, []],
      [dock, null, [away]],
      [shelf, null, [below, away]],
    ] as const) {
      catalog.change(place, { parent_id: parent && parent.id })
      await tracking.project()
      tracking.view.applyLocation(place)
      expect(await listed(tracking, 'misplaced=true')).toEqual(each(...misplaced))
    }
    expect(await listed(tracking, 'misplaced=false')).toEqual(each(atHome))
  })

  test('leaves out assets whose home or location was deleted', async ({ tracking }) => {
    const { catalog, view } = tracking
    const { dock, hall } = await scene(tracking)
    catalog.change(dock, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    view.applyLocation(dock)
    expect(await listed(tracking, 'misplaced=true')).toEqual(each())
    catalog.change(hall, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    view.applyLocation(hall)
    expect(await listed(tracking, 'misplaced=false')).toEqual(each())
    expect((await report(tracking, `home_location_id=${hall.id}&expand=home`)).json().data).toMatchObject(
      Array.from({ length: 4 }, () => ({ home_location: null, is_home: null })),
    )
  })

  test('expand=home shows the home and whether the asset is there', async ({ tracking }) => {
    const { atHome, below, away, roaming, lost, hall } = await scene(tracking)
    const home_location = { id: hall.id, external_key: hall.external_key, name: 'Hall' }
    const { data } = (await report(tracking, 'expand=home,asset&sort=-asset_last_seen')).json()
    expect(data).toMatchObject([
      { asset: { id: lost.id }, home_location, is_home: null },
      { asset: { id: roaming.id }, home_location: null, is_home: null },
      { asset: { id: away.id }, home_location, is_home: false },
      { asset: { id: below.id }, home_location, is_home: true },
      { asset: { id: atHome.id }, home_location, is_home: true },
    ])
  })

  test('is answered to catalog in parts by asset, of one organization, also by home', async ({
    tracking,
  }) => {
    const { view, tenants: db } = tracking
    const { atHome, below, away, dock, hall, shelf, theirs } = await scene(tracking)
    const ask = async (misplaced: boolean, rest = {}, org_id = 1) =>
      (await listMisplaced({ db, view }, { org_id, misplaced, ...rest })).asset_ids
    const [first = 0, second = 0] = [atHome.id, below.id].toSorted((a, b) => a - b)
    expect(await ask(true)).toEqual([away.id])
    expect(await ask(false)).toEqual([first, second])
    expect(await ask(false, { limit: 1 })).toEqual([first])
    expect(await ask(false, { limit: 1, after: first })).toEqual([second])
    expect(await ask(false, { limit: 1, after: second })).toEqual([])
    expect(await ask(false, { home_ids: [hall.id] })).toEqual([first, second])
    expect(await ask(false, { home_ids: [shelf.id, dock.id] })).toEqual([])
    expect([await ask(true, {}, 2), await ask(false, {}, 2)].flat()).not.toContain(away.id)
    expect(await ask(true, {}, 1)).not.toContain(theirs.id)
  })

  test.for<ReportSort>(['asset_last_seen', 'asset_external_key', 'location_external_key'])(
    'has the same pages in the order of %s, sorted and walked',
    { timeout: 60_000 },
    async (field, { tracking }) => {
      await fillReport(tracking)
      const { catalog, view } = tracking
      for (const orgId of [1, 2]) {
        // With those of the other organization.
        const all = catalog.locations.map(({ id }) => id)
        const asked = [undefined, all, all.filter((_, i) => i % 3 === 0)].flatMap((home_location_id) =>
          (home_location_id ? [true, false, undefined] : [true, false]).map((misplaced) => ({
            home_location_id,
            misplaced,
          })),
        )
        for (const query of asked)
          for (const [descending, includeDeleted] of [
            [true, true],
            [true, false],
            [false, true],
            [false, false],
          ] as const) {
            const home = homeFilter(view, orgId, query)
            const filter = { limit: LIMIT, offset: 0, sort: [{ field, descending }], includeDeleted, home }
            const sorted = await pagesOf(tracking, orgId, filter, 5_000)
            expect(sorted[0]?.rows.length).toBeGreaterThan(0)
            expect(await pagesOf(tracking, orgId, filter, 0)).toEqual(sorted)
          }
      }
    },
  )
})

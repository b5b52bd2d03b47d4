import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { CatalogView } from './catalog-view.ts'

test('D21.1 the view knows the home of each asset by organization, through three changes and in any order', () => {
  const [view, catalog] = [new CatalogView(), new CatalogStandIn()]
  const asset = catalog.asset(1, 'Pallet', { home_location_id: 7 })
  const other = catalog.asset(1, 'Other', { home_location_id: 7 })
  const theirs = catalog.asset(2, 'Theirs', { home_location_id: 8 })
  for (const state of catalog.assets) view.applyAsset(state)
  expect([view.homeOf(1, asset.id), view.homeOf(2, asset.id), view.homeOf(2, theirs.id)]).toEqual([
    7,
    null,
    8,
  ])
  expect([view.homesOf(1), view.homesOf(2), view.homesOf(3)]).toEqual([[7], [8], []])
  const old = { ...asset }
  for (const home_location_id of [9, null, 5]) {
    catalog.change(asset, { home_location_id })
    view.applyAsset(asset)
    view.applyAsset(old)
    expect(view.homeOf(1, asset.id)).toBe(home_location_id)
    expect(view.homesOf(1)).toEqual(home_location_id === null ? [7] : [7, home_location_id])
  }
  const { home_location_id: _, ...lacking } = { ...other, revision: other.revision + 1_000 }
  view.applyAsset(lacking)
  expect(view.homesOf(1)).toEqual([5])
  view.clear()
  expect(view.homesOf(2)).toEqual([])
})

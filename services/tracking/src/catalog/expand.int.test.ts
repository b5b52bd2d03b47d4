import { expect } from 'vitest'
import { scene, seen } from '../../test/reports/scene.fixture.ts'
import { store } from '../../test/store.ts'
import { test } from '../../test/tracking.fixture.ts'

const thing = (id: number, external_key: string, name: string) => ({ id, external_key, name })

test('D12.6 a deleted asset is shown, a deleted location is not, and neither is one of another organization', async ({
  tracking,
}) => {
  const { a, b, theirs, shelf, dock } = await scene(tracking)
  // An id of another organization, which no read stores.
  await store(tracking.db, tracking.view, [seen(b.id, tracking.catalog.location(2, 'Secret').id, 1)])
  const gone = { revision: 10_000, deleted_at: '2026-11-20T00:00:00.000Z' }
  tracking.catalog.assets = tracking.catalog.assets.map((it) => (it.id === a.id ? { ...it, ...gone } : it))
  await tracking.project()
  const report = async () =>
    (await tracking.call('GET', '/reports/asset-locations?include_deleted=true&expand=asset,location')).json()
      .data
  expect(await report()).toMatchObject([
    { asset: thing(b.id, b.external_key, b.name), location: null },
    { asset: thing(a.id, 'ALPHA', 'Alpha'), location: thing(shelf.id, 'SHELF', 'Shelf') },
  ])
  tracking.catalog.locations = tracking.catalog.locations.map((it) =>
    it.id === shelf.id ? { ...it, ...gone } : it,
  )
  await tracking.project()
  expect((await report())[1]).toMatchObject({ location_id: shelf.id, location: null })
  const other = await tracking.call('GET', '/reports/asset-locations?expand=asset,location', { orgId: 2 })
  expect(other.json().data).toMatchObject([
    { asset: thing(theirs.id, theirs.external_key, theirs.name), location: null },
  ])
  expect(dock.org_id).toBe(1)
})

test('D12.6 a history shows its asset and the location of each row', async ({ tracking }) => {
  const { a, dock, shelf } = await scene(tracking)
  const rows = (await tracking.call('GET', `/assets/${a.id}/history?expand=location`)).json().data
  const [atShelf, atDock] = [thing(shelf.id, 'SHELF', 'Shelf'), thing(dock.id, 'DOCK', 'Dock')]
  expect(rows).toMatchObject([{ location: atShelf }, { location: atDock }, { location: atDock }])
  expect(rows[0]).not.toHaveProperty('asset')
  const both = (await tracking.call('GET', `/assets/${a.id}/history?limit=1&expand=asset,location`)).json()
    .data
  expect(both).toMatchObject([{ asset: thing(a.id, 'ALPHA', 'Alpha'), location: atShelf }])
})

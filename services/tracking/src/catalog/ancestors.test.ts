import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { CatalogResolver } from './catalog-resolver.ts'
import { CatalogView } from './catalog-view.ts'

test('ancestors end at a deleted location, at another organization and in a circle, and keep unknown ones', () => {
  const [view, catalog] = [new CatalogView(), new CatalogStandIn()]
  const site = catalog.location(1, 'Site')
  const hall = catalog.location(1, 'Hall', { parent_id: site.id })
  const shelf = catalog.location(1, 'Shelf', { parent_id: hall.id })
  const orphan = catalog.location(1, 'Orphan', { parent_id: 7 })
  for (const location of catalog.locations) view.applyLocation(location)
  expect(view.withAncestors(1, [shelf.id, orphan.id])).toEqual([shelf.id, orphan.id, hall.id, 7, site.id])
  expect(view.withAncestors(2, [shelf.id])).toEqual([shelf.id])
  catalog.change(site, { parent_id: shelf.id })
  view.applyLocation(site)
  expect(view.withAncestors(1, [site.id])).toEqual([site.id, shelf.id, hall.id])
  catalog.change(hall, { deleted_at: '2026-01-01T00:00:00.000Z' })
  view.applyLocation(hall)
  expect(view.withAncestors(1, [shelf.id])).toEqual([shelf.id])
})

test('what a found location is in is asked for too, until catalog knows no more', async () => {
  const [view, catalog] = [new CatalogView(), new CatalogStandIn()]
  const site = catalog.location(1, 'Site', { parent_id: 7 })
  const hall = catalog.location(1, 'Hall', { parent_id: site.id })
  const shelf = catalog.location(1, 'Shelf', { parent_id: hall.id })
  const resolver = new CatalogResolver(view, catalog.ask)
  await resolver.resolve(1, { locationKeys: [shelf.external_key] })
  expect(view.location(1, site.id)?.name).toBe('Site')
  expect(catalog.requests).toHaveLength(4) // the last one is for 7
})

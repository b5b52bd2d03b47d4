import { describe, expect } from 'vitest'
import { events, save } from '../../../test/inventory/inventory.fixture.ts'
import { ingest, message, NOW, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test } from '../../../test/tracking.fixture.ts'
import { recordPlacement } from '../inventory/placement.ts'

describe('ADR 105 a movement says', () => {
  test('the type of the asset, both ends, and all that these are in as it happens', async ({ tracking }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    const { catalog } = tracking
    const [site, hall] = [catalog.location(1, 'Site'), catalog.location(1, 'Hall')]
    catalog.change(asset, { type: 'inventory' })
    catalog.change(dock, { parent_id: site.id })
    catalog.change(shelf, { parent_id: hall.id })
    catalog.change(hall, { parent_id: site.id })
    await tracking.project()
    const read = (antenna: number, at: number) =>
      ingest(tracking, [message(1, [{ value: 'E280', antenna, at: NOW + at * 60_000 }])])
    await read(1, -9)
    await read(2, -7)
    catalog.change(hall, { deleted_at: new Date(NOW).toISOString() })
    await tracking.project()
    await read(1, -5)
    const asset_type = 'inventory'
    expect((await events(tracking)).map(({ about }) => about)).toEqual([
      { asset_type, at: [dock.id], within: [dock.id, site.id] },
      { asset_type, at: [dock.id, shelf.id], within: [dock.id, shelf.id, site.id, hall.id] },
      { asset_type, at: [shelf.id, dock.id], within: [shelf.id, dock.id, site.id] },
    ])
  })

  test('the same of things whose states have not arrived, because it asks for them', async ({ tracking }) => {
    const { catalog } = tracking
    const site = catalog.location(1, 'Site')
    const hall = catalog.location(1, 'Hall', { parent_id: site.id })
    const shelf = catalog.location(1, 'Shelf', { parent_id: hall.id })
    const [saved, placed] = [catalog.asset(1, 'Saved', { type: 'person' }), catalog.asset(1, 'Placed', { type: 'person' })] // oxfmt-ignore
    expect((await save(tracking, [saved.external_key], shelf.external_key)).statusCode).toBe(201)
    const { type: _, ...identity } = placed // the release before sends no type
    const placed_at = new Date().toISOString()
    await recordPlacement({ ...tracking.ingest, db: tracking.tenants }, { org_id: 1, asset: identity, location: shelf, placed_at }) // oxfmt-ignore
    const about = { asset_type: 'person', at: [shelf.id], within: [shelf.id, hall.id, site.id] }
    expect(await events(tracking)).toMatchObject([
      { asset: { id: saved.id }, about },
      { asset: { id: placed.id }, about },
    ])
  })
})

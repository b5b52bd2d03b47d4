import { describe, expect } from 'vitest'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { seen } from '../../../../test/reports/scene.fixture.ts'

describe('include_descendants', () => {
  /** A hall with an aisle with a shelf, and a dock next to it; one asset in each, named after it. */
  async function tree(tracking: Tracking) {
    const { catalog } = tracking
    const hall = catalog.location(1, 'Hall')
    const aisle = catalog.location(1, 'Aisle', { parent_id: hall.id })
    const shelf = catalog.location(1, 'Shelf', { parent_id: aisle.id })
    const dock = catalog.location(1, 'Dock')
    const theirs = catalog.location(2, 'Theirs', { parent_id: hall.id }) // as if by mistake
    const places = [hall, aisle, shelf, dock]
    const rows = places.map((place, i) => seen(catalog.asset(1, `In ${place.name}`).id, place.id, i))
    await tracking.project()
    await store(tracking.db, tracking.view, rows)
    return { hall, aisle, shelf, dock, theirs }
  }
  const list = async (tracking: Tracking, query: string, orgId = 1) =>
    (await tracking.call('GET', `/reports/asset-locations?include_descendants=${query}`, { orgId }))
      .json()
      .data.map((row: { asset_external_key: string }) => row.asset_external_key)

  test('finds assets at the location and its sub-locations, by id and by key', async ({ tracking }) => {
    const { hall, aisle, dock } = await tree(tracking)
    expect(await list(tracking, `true&location_id=${hall.id}`)).toEqual(['IN-HALL', 'IN-AISLE', 'IN-SHELF'])
    expect(await list(tracking, 'true&location_external_key=HALL')).toEqual([
      'IN-HALL',
      'IN-AISLE',
      'IN-SHELF',
    ])
    expect(await list(tracking, `true&location_id=${aisle.id}&location_id=${dock.id}`)).toEqual([
      'IN-AISLE',
      'IN-SHELF',
      'IN-DOCK',
    ])
    expect(await list(tracking, `false&location_id=${hall.id}`)).toEqual(['IN-HALL'])
    expect(await list(tracking, `true&location_id=${hall.id}&asset_external_key=IN-SHELF`)).toEqual([
      'IN-SHELF',
    ])
    expect(await list(tracking, `true&location_id=${hall.id}`, 2)).toEqual([])
  })

  test('follows locations that were moved or deleted', async ({ tracking }) => {
    const { hall, aisle, shelf, dock } = await tree(tracking)
    const changed = { revision: 10_000 }
    tracking.catalog.locations = [{ ...shelf, ...changed, parent_id: dock.id }]
    await tracking.project()
    expect(await list(tracking, `true&location_id=${hall.id}`)).toEqual(['IN-HALL', 'IN-AISLE'])
    expect(await list(tracking, `true&location_id=${dock.id}`)).toEqual(['IN-SHELF', 'IN-DOCK'])
    tracking.catalog.locations = [{ ...aisle, ...changed, deleted_at: '2026-11-20T00:00:00.000Z' }]
    await tracking.project()
    expect(await list(tracking, `true&location_id=${hall.id}`)).toEqual(['IN-HALL'])
    expect(await list(tracking, `true&location_id=${aisle.id}`)).toEqual(['IN-AISLE'])
  })

  test('is refused without a location', async ({ tracking }) => {
    const res = await tracking.call('GET', '/reports/asset-locations?include_descendants=true&asset_id=1')
    expect(res.json().error.fields).toEqual([
      {
        field: 'include_descendants',
        code: 'invalid_context',
        message: 'include_descendants needs location_id or location_external_key',
      },
    ])
    expect(
      (await tracking.call('GET', '/reports/asset-locations?include_descendants=false')).statusCode,
    ).toBe(200)
  })
})

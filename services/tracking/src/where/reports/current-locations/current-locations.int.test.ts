import { API_PREFIX, LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { findCurrentLocations } from './current-locations.responder.ts'
import { iso, scene, seen } from '../../../../test/reports/scene.fixture.ts'

/**
 * Like the scene; also Gamma was at the dock 15 minutes ago, and the other organization's asset is at its own
 * location.
 */
async function withGamma(tracking: Tracking) {
  const gamma = tracking.catalog.asset(1, 'Gamma')
  const place = tracking.catalog.location(2, 'Place')
  const things = await scene(tracking)
  const rows = [seen(gamma.id, things.dock.id, 15), seen(things.theirs.id, place.id, 0, 2)]
  await store(tracking.db, tracking.view, rows)
  return { ...things, gamma }
}

describe.for([API_PREFIX, LEGACY_PREFIX])('GET %s/locations/current', (base) => {
  const get = (tracking: Tracking, query = '', orgId = 1) =>
    tracking.call('GET', `/locations/current${query}`, { base, orgId })
  const keys = async (tracking: Tracking, query: string) =>
    (await get(tracking, query))
      .json()
      .data.map((row: { asset: string; location: string }) => [row.asset, row.location])

  test('D1.4 lists external keys, the latest first, without assets that have no location', async ({
    tracking,
  }) => {
    await withGamma(tracking)
    expect((await get(tracking)).json()).toEqual({
      data: [
        { asset: 'ALPHA', location: 'SHELF', last_seen: iso(10) },
        { asset: 'GAMMA', location: 'DOCK', last_seen: iso(15) },
      ],
      limit: 50,
      offset: 0,
      total_count: 2,
    })
    expect((await get(tracking, '', 2)).json()).toMatchObject({
      data: [{ asset: 'THEIRS', location: 'PLACE' }],
      total_count: 1,
    })
  })

  test('D1.4 filters, search, pages and order', async ({ tracking }) => {
    await withGamma(tracking)
    const [alpha, gamma] = [['ALPHA', 'SHELF'], ['GAMMA', 'DOCK']] // oxfmt-ignore
    expect(await keys(tracking, '?location=DOCK')).toEqual([gamma])
    expect(await keys(tracking, '?location=DOCK&location=SHELF&asset=ALPHA')).toEqual([alpha])
    expect(await keys(tracking, '?location=NOWHERE')).toEqual([])
    expect(await keys(tracking, '?asset=BETA_1'.replace('_', '-'))).toEqual([])
    expect(await keys(tracking, '?q=gam')).toEqual([gamma])
    expect(await keys(tracking, '?sort=location')).toEqual([gamma, alpha])
    expect(await keys(tracking, '?sort=-asset')).toEqual([gamma, alpha])
    expect(await keys(tracking, '?sort=last_seen')).toEqual([gamma, alpha])
    expect(await keys(tracking, '?limit=1&offset=1')).toEqual([gamma])
    expect((await get(tracking, '?offset=9')).json()).toMatchObject({ data: [], total_count: 2 })
  })

  test('D8.3 an asset that was last seen at a deleted location is not listed', async ({ tracking }) => {
    const { dock } = await withGamma(tracking)
    tracking.catalog.locations = [{ ...dock, revision: 10_000, deleted_at: '2026-11-20T00:00:00.000Z' }]
    await tracking.project()
    expect(await keys(tracking, '')).toEqual([['ALPHA', 'SHELF']])
    expect((await get(tracking)).json().total_count).toBe(1)
  })

  test('parameters of the report are unknown here, and each problem is named', async ({ tracking }) => {
    const res = await get(tracking, '?asset_id=1&include_deleted=true&sort=asset_last_seen&location=a_b')
    expect(res.json().error.fields.map((f: { field: string; code: string }) => [f.field, f.code])).toEqual([
      ['asset_id', 'unknown_field'],
      ['include_deleted', 'unknown_field'],
      ['location', 'invalid_value'],
      ['sort', 'invalid_value'],
    ])
  })
})

describe('rpc.tracking.current-locations', () => {
  test('D1.6 answers the keys of the locations of assets, without assets that have none', async ({
    tracking,
  }) => {
    const { a, b, never, theirs, shelf, gamma, dock } = await withGamma(tracking)
    const asset_ids = [a, b, never, theirs, gamma].map(({ id }) => id)
    const { locations } = await findCurrentLocations(tracking.tenants, { org_id: 1, asset_ids })
    expect(locations.toSorted((x, y) => x.asset_id - y.asset_id)).toEqual(
      [
        { asset_id: a.id, location_id: shelf.id, location_external_key: 'SHELF' },
        { asset_id: gamma.id, location_id: dock.id, location_external_key: 'DOCK' },
      ].toSorted((x, y) => x.asset_id - y.asset_id),
    )
    expect((await findCurrentLocations(tracking.tenants, { org_id: 2, asset_ids })).locations).toMatchObject([
      { asset_id: theirs.id, location_external_key: 'PLACE' },
    ])
    expect(await findCurrentLocations(tracking.tenants, { org_id: 1, asset_ids: [] })).toEqual({
      locations: [],
    })
  })

  test.for([{}, { org_id: 1 }, { org_id: 1, asset_ids: Array.from({ length: 201 }, (_, i) => i) }, null])(
    'refuses an invalid request: %j',
    async (payload, { tracking }) => {
      await expect(findCurrentLocations(tracking.tenants, payload)).rejects.toThrow(
        'not a request for current locations',
      )
    },
  )
})

import { describe, expect } from 'vitest'
import { test } from '../../../../test/tracking.fixture.ts'
import { ids, iso, NOW, scene } from '../../../../test/reports/scene.fixture.ts'

describe('at', () => {
  const url = (at: string | number) =>
    `/reports/asset-locations?at=${encodeURIComponent(typeof at === 'number' ? iso(at) : at)}`

  test('lists where assets were, without a dwell; an asset that was not scanned yet has no row', async ({
    tracking,
  }) => {
    const { a, b, dock } = await scene(tracking)
    const res = await tracking.call('GET', url(15))
    expect(res.json()).toEqual({
      data: [
        {
          asset_id: a.id,
          asset_external_key: 'ALPHA',
          location_id: dock.id,
          location_external_key: 'DOCK',
          asset_deleted_at: null,
          asset_last_seen: iso(20),
          dwell_started_at: null,
          dwell_seconds: null,
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 1,
    })
    expect(ids(await tracking.call('GET', url(31)))).toEqual([])
    expect(ids(await tracking.call('GET', url(5)))).toEqual([b.id, a.id])
    expect(ids(await tracking.call('GET', url(15), { orgId: 2 }))).toEqual([])
  })

  test('includes the instant itself, also within a minute', async ({ tracking }) => {
    const { a, dock, shelf } = await scene(tracking)
    const at = async (moment: string) => (await tracking.call('GET', url(moment))).json().data[0]?.location_id
    const moved = NOW - 10 * 60_000 + 123
    expect(await at(new Date(moved).toISOString())).toBe(shelf.id)
    expect(await at(new Date(moved - 1).toISOString())).toBe(dock.id)
    expect(await at(new Date(moved).toISOString().replace('Z', '999999+00:00'))).toBe(shelf.id)
    expect(ids(await tracking.call('GET', url('2990-01-01T00:00:00Z')))).toContain(a.id)
  })

  test('lists assets that were deleted or became invalid since, as they were then', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const since = { revision: 10_000, deleted_at: iso(12), valid_to: iso(11) }
    tracking.catalog.assets = tracking.catalog.assets.map((asset) =>
      asset.id === a.id ? { ...asset, ...since } : asset,
    )
    await tracking.project()
    expect((await tracking.call('GET', url(15))).json().data).toMatchObject([
      { asset_id: a.id, asset_deleted_at: iso(12) },
    ])
    expect(ids(await tracking.call('GET', url(9)))).toEqual([])
    expect(ids(await tracking.call('GET', `${url(11.5)}&include_deleted=true`))).toEqual([a.id])
  })

  test('refuses an instant before the kept history', async ({ tracking }) => {
    await scene(tracking)
    tracking.clock.stoppedAt = NOW
    const day = 24 * 60
    const oldest = NOW - 400 * day * 60_000
    expect((await tracking.call('GET', url(new Date(oldest).toISOString()))).statusCode).toBe(200)
    const res = await tracking.call('GET', url(new Date(oldest - 1).toISOString()))
    const min = new Date(oldest).toISOString()
    expect(res.statusCode).toBe(400)
    expect(res.json().error.fields).toEqual([
      { field: 'at', code: 'too_small', message: `at must be ≥ ${min}`, params: { min } },
    ])
    const malformed = await tracking.call('GET', url('yesterday'))
    expect(malformed.json().error.fields).toEqual([
      { field: 'at', code: 'invalid_value', message: "Invalid 'at' timestamp; RFC3339 required" },
    ])
  })
})

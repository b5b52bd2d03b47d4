import { describe, expect } from 'vitest'
import { minuteOf, type Observation } from '../ingest/observation.ts'
import { store } from '../ingest/store.ts'
import { test, type Tracking } from '../tracking.fixture.ts'

const NOW = Math.floor(Date.now() / 60_000) * 60_000

const seen = (assetId: number, locationId: number | null, minutesAgo: number, orgId = 1): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(NOW) - minutesAgo,
  observedAtMs: NOW - minutesAgo * 60_000 + 123,
  locationId,
  readerKey: 'r',
  antenna: 1,
})
const iso = (minutesAgo: number) => new Date(NOW - minutesAgo * 60_000 + 123).toISOString()

async function scene(tracking: Tracking) {
  const { catalog } = tracking
  const [a, b, never] = ['Alpha', 'Beta_1', 'Never'].map((name) => catalog.asset(1, name))
  const theirs = catalog.asset(2, 'Theirs')
  const [dock, shelf] = ['Dock', 'Shelf'].map((name) => catalog.location(1, name))
  catalog.tag(b!, '50%-OFF', { tag_type: 'barcode' })
  await tracking.project()
  await store(tracking.db, tracking.view, [
    seen(a!.id, dock!.id, 30),
    seen(a!.id, dock!.id, 20),
    seen(a!.id, shelf!.id, 10),
    seen(b!.id, null, 5),
    seen(theirs.id, dock!.id, 1, 2),
  ])
  return { a: a!, b: b!, never: never!, theirs, dock: dock!, shelf: shelf! }
}

const ids = (res: { json(): { data: { asset_id: number }[] } }) => res.json().data.map((row) => row.asset_id)

describe('GET /reports/asset-locations', () => {
  test('lists one row per scanned asset, the last seen first, with dwell fields', async ({ tracking }) => {
    const { a, b, shelf } = await scene(tracking)
    await store(tracking.db, tracking.view, [seen(a.id, shelf.id, 8)])
    const res = await tracking.call('GET', '/reports/asset-locations')
    expect(res.json()).toEqual({
      data: [
        {
          asset_id: b.id,
          asset_external_key: b.external_key,
          location_id: null,
          location_external_key: null,
          asset_deleted_at: null,
          asset_last_seen: iso(5),
          dwell_started_at: null,
          dwell_seconds: null,
        },
        {
          asset_id: a.id,
          asset_external_key: 'ALPHA',
          location_id: shelf.id,
          location_external_key: 'SHELF',
          asset_deleted_at: null,
          asset_last_seen: iso(8),
          dwell_started_at: iso(10),
          dwell_seconds: 120,
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 2,
    })
  })

  test('filters by asset and location, by id and by key, any of the values', async ({ tracking }) => {
    const { a, b, shelf, theirs } = await scene(tracking)
    const list = async (query: string) => ids(await tracking.call('GET', `/reports/asset-locations?${query}`))
    expect(await list(`asset_id=${a.id}&asset_id=${b.id}`)).toEqual([b.id, a.id])
    expect(await list('asset_external_key=ALPHA')).toEqual([a.id])
    expect(await list(`location_id=${shelf.id}`)).toEqual([a.id])
    expect(await list('location_external_key=SHELF')).toEqual([a.id])
    expect(await list(`asset_id=${theirs.id}`)).toEqual([])
    expect(await list('sort=asset_external_key')).toEqual([a.id, b.id])
  })

  test('q matches name, key and tag values literally', async ({ tracking }) => {
    const { a, b } = await scene(tracking)
    const list = async (q: string) =>
      ids(await tracking.call('GET', `/reports/asset-locations?q=${encodeURIComponent(q)}`))
    expect(await list('alph')).toEqual([a.id])
    expect(await list('a_1')).toEqual([b.id])
    expect(await list('0%-off')).toEqual([b.id])
    expect(await list('%')).toEqual([b.id])
  })

  test('D7.1 a deleted or expired asset is left out; include_deleted brings the deleted back', async ({
    tracking,
  }) => {
    const { a, b } = await scene(tracking)
    tracking.catalog.assets = tracking.catalog.assets.map((asset) => {
      const revision = asset.revision + 1_000
      if (asset.id === a.id) return { ...asset, revision, deleted_at: '2026-11-20T00:00:00.000Z' }
      return asset.id === b.id ? { ...asset, revision, valid_to: '2026-11-20T00:00:00.000Z' } : asset
    })
    await tracking.project()
    expect(ids(await tracking.call('GET', '/reports/asset-locations'))).toEqual([])
    const all = await tracking.call('GET', '/reports/asset-locations?include_deleted=true')
    expect(all.json().data).toEqual([
      expect.objectContaining({ asset_id: a.id, asset_deleted_at: '2026-11-20T00:00:00.000Z' }),
    ])
  })

  test('D8.3 of a deleted location the id stays and the key is null', async ({ tracking }) => {
    const { a, shelf } = await scene(tracking)
    tracking.catalog.locations = [
      { ...shelf, revision: shelf.revision + 1_000, deleted_at: '2026-11-20T00:00:00.000Z' },
    ]
    await tracking.project()
    const res = await tracking.call('GET', `/reports/asset-locations?asset_id=${a.id}`)
    expect(res.json().data[0]).toMatchObject({ location_id: shelf.id, location_external_key: null })
  })

  test('D8.2 the two forms of one filter together are ambiguous, and every problem is named', async ({
    tracking,
  }) => {
    const res = await tracking.call('GET', '/reports/asset-locations?asset_id=1&asset_external_key=A')
    expect(res.statusCode).toBe(400)
    expect(res.json().error.fields.map((f: { field: string; code: string }) => [f.field, f.code])).toEqual([
      ['asset_id', 'ambiguous_fields'],
      ['asset_external_key', 'ambiguous_fields'],
    ])
    const bad = await tracking.call('GET', '/reports/asset-locations?limit=201&sort=nope&zzz=1')
    expect(bad.json().error.fields.map((f: { field: string; code: string }) => [f.field, f.code])).toEqual([
      ['zzz', 'unknown_field'],
      ['limit', 'too_large'],
      ['sort', 'invalid_value'],
    ])
  })
})

describe('GET /assets/{asset_id}/history', () => {
  test('lists newest first; a duration is the time at the row before, null on the earliest', async ({
    tracking,
  }) => {
    const { a, dock, shelf } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history`)
    expect(res.json()).toEqual({
      data: [
        {
          event_observed_at: iso(10),
          location_id: shelf.id,
          location_external_key: 'SHELF',
          duration_seconds: 600,
        },
        {
          event_observed_at: iso(20),
          location_id: dock.id,
          location_external_key: 'DOCK',
          duration_seconds: 600,
        },
        {
          event_observed_at: iso(30),
          location_id: dock.id,
          location_external_key: 'DOCK',
          duration_seconds: null,
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 3,
    })
  })

  test('D8.1 from and to are inclusive, and durations look beyond from', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const res = await tracking.call(
      'GET',
      `/assets/${a.id}/history?from=${iso(20)}&to=${iso(10)}&sort=event_observed_at`,
    )
    expect(
      res
        .json()
        .data.map((r: { event_observed_at: string; duration_seconds: number }) => [
          r.event_observed_at,
          r.duration_seconds,
        ]),
    ).toEqual([
      [iso(20), 600],
      [iso(10), 600],
    ])
    expect(res.json().total_count).toBe(2)
  })

  test('an invalid from has the wording of the contract', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history?from=2026-11-21`)
    expect(res.json().error.fields).toEqual([
      { field: 'from', code: 'invalid_value', message: "Invalid 'from' timestamp; RFC3339 required" },
    ])
  })

  test("a deleted asset is 404 at once, another organization's always", async ({ tracking }) => {
    const { a, theirs } = await scene(tracking)
    expect((await tracking.call('GET', `/assets/${theirs.id}/history`)).statusCode).toBe(404)
    const gone = { ...a, revision: a.revision + 1_000, deleted_at: '2026-11-21T00:00:00.000Z' }
    tracking.catalog.assets = tracking.catalog.assets.map((asset) => (asset.id === a.id ? gone : asset))
    expect((await tracking.call('GET', `/assets/${a.id}/history`)).statusCode).toBe(404)
  })

  test('with catalog away the last known state answers', async ({ tracking }) => {
    const { a } = await scene(tracking)
    tracking.catalog.away = true
    expect((await tracking.call('GET', `/assets/${a.id}/history`)).statusCode).toBe(200)
  })

  test('an asset created a moment ago has an empty history, not a 404', async ({ tracking }) => {
    const fresh = tracking.catalog.asset(1, 'Fresh')
    const res = await tracking.call('GET', `/assets/${fresh.id}/history`)
    expect(res.json()).toEqual({ data: [], limit: 50, offset: 0, total_count: 0 })
  })
})

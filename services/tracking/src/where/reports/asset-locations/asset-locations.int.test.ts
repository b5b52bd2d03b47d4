import { describe, expect } from 'vitest'
import { store } from '../../../../test/store.ts'
import { test } from '../../../../test/tracking.fixture.ts'
import { ids, iso, scene, seen } from '../../../../test/reports/scene.fixture.ts'

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

  test('sorted by location, assets without one come last, in both directions and on any page', async ({
    tracking,
  }) => {
    const { a, b } = await scene(tracking)
    const list = async (query: string) => ids(await tracking.call('GET', `/reports/asset-locations?${query}`))
    for (const sort of ['location_external_key', '-location_external_key']) {
      expect(await list(`sort=${sort}`)).toEqual([a.id, b.id])
      expect(await list(`sort=${sort}&limit=1&offset=1`)).toEqual([b.id])
    }
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

  test('D19.1 D19.2 q compares names in one spelling, and finds barcodes as people see and scan them', async ({
    tracking,
  }) => {
    const { a, b } = await scene(tracking)
    tracking.catalog.assets = tracking.catalog.assets.map((asset) =>
      asset.id === a.id ? { ...asset, revision: asset.revision + 1_000, name: 'Ku\u0308hl ΣΊΣΥΦΟΣ' } : asset,
    )
    const tag = tracking.catalog.tags.find(({ asset_id }) => asset_id === b.id)
    if (!tag) throw new Error('the scene has no tag')
    tracking.catalog.tags.push({ ...tag, id: tag.id + 5_000, tag_type: 'barcode', value: '01\u001D21' })
    await tracking.project()
    const list = async (q: string) =>
      ids(await tracking.call('GET', `/reports/asset-locations?q=${encodeURIComponent(q)}`))
    for (const q of ['KÜHL', 'ku\u0308hl', 'σίσυφος', 'Σίσυφος']) expect(await list(q)).toEqual([a.id])
    for (const q of ['01\u001D21', '01␝2', '01\u001D21\r\n']) expect(await list(q)).toEqual([b.id])
    expect(await list('l\u001F')).toEqual([])
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

  test('D8.3 a deleted location keeps its id and has no key', async ({ tracking }) => {
    const { a, shelf } = await scene(tracking)
    tracking.catalog.locations = [
      { ...shelf, revision: shelf.revision + 1_000, deleted_at: '2026-11-20T00:00:00.000Z' },
    ]
    await tracking.project()
    const res = await tracking.call('GET', `/reports/asset-locations?asset_id=${a.id}`)
    expect(res.json().data[0]).toMatchObject({ location_id: shelf.id, location_external_key: null })
  })

  test('D8.2 both forms of one filter together are ambiguous, and every problem is named', async ({
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

  test('D8.9 the report uses the current keys and tree', async ({ tracking }) => {
    const { a, shelf } = await scene(tracking)
    tracking.catalog.locations = [{ ...shelf, revision: shelf.revision + 1_000, external_key: 'RENAMED' }]
    await tracking.project()
    const list = async (key: string) =>
      ids(await tracking.call('GET', `/reports/asset-locations?location_external_key=${key}`))
    expect(await list('RENAMED')).toEqual([a.id])
    expect(await list('SHELF')).toEqual([])
  })
})

describe('as CSV', () => {
  test('has the same rows, filters and pages, with the total in a header', async ({ tracking }) => {
    const { a, b, shelf } = await scene(tracking)
    const get = (query: string, accept = 'text/csv') =>
      tracking.call('GET', `/reports/asset-locations${query}`, { accept })
    const res = await get('?limit=1')
    expect(res.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(res.headers).toMatchObject({ 'x-total-count': '2', vary: 'Accept' })
    const head =
      '\uFEFFasset_id,asset_external_key,location_id,location_external_key,asset_deleted_at,asset_last_seen,dwell_started_at,dwell_seconds'
    expect(res.body).toBe(`${head}\r\n${b.id},BETA_1,,,,${iso(5)},,\r\n`)
    const filtered = await get(`?location_id=${shelf.id}`)
    expect(filtered.body).toBe(`${head}\r\n${a.id},ALPHA,${shelf.id},SHELF,,${iso(10)},${iso(10)},0\r\n`)
    expect((await get('?asset_id=1')).body).toBe(`${head}\r\n`)
    const json = await get('', 'text/csv;q=0.9, application/json')
    expect(json.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept' })
    expect(json.headers).not.toHaveProperty('x-total-count')
  })

  test('escapes a key that a spreadsheet would calculate', async ({ tracking }) => {
    const asset = tracking.catalog.asset(1, 'Evil', { external_key: '-1-2' })
    await tracking.project()
    await store(tracking.db, tracking.view, [seen(asset.id, null, 1)])
    const res = await tracking.call('GET', '/reports/asset-locations', { accept: 'text/csv' })
    expect(res.body).toContain(`${asset.id},'-1-2,,`)
  })

  test('answers errors as JSON', async ({ tracking }) => {
    const res = await tracking.call('GET', '/reports/asset-locations?limit=0', { accept: 'text/csv' })
    expect(res.statusCode).toBe(400)
    expect(res.json().error.type).toBe('validation_error')
  })
})

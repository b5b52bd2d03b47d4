import type { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../test/catalog.fixture.ts'
import { test, type Legacy } from '../../test/legacy.fixture.ts'
import { MAX_ASSETS_AT_LOCATIONS } from './tracking/current-locations.ts'

const UNRESOLVED = {
  field: 'current_location',
  code: 'fk_not_found',
  message: 'current_location does not refer to a location',
}

async function placements(catalog: Catalog): Promise<AssetPlaced[]> {
  const rows = await catalog.takeOutbox()
  return rows
    .filter((row) => row.subject === `placements.${catalog.orgId}`)
    .map((row) => row.payload as AssetPlaced)
}

const listed = async (legacy: Legacy, query: string) => {
  const res = await legacy.get(`/assets?${query}`)
  expect(res.statusCode).toBe(200)
  const { data, total_count } = res.json()
  return { keys: data.map((row: { identifier: string }) => row.identifier), total_count }
}

describe('D1.6 current_location of an asset', () => {
  test('is where it was last seen; a whole page is one request to tracking', async ({ catalog, legacy }) => {
    const dock = await catalog.location({ external_key: 'DOCK' })
    const [a] = [await catalog.asset({ external_key: 'A' }), await catalog.asset({ external_key: 'B' })]
    catalog.tracking.see(catalog.orgId, a.id, dock.id)
    catalog.tracking.pageSizes = []
    const { data } = (await legacy.get('/assets')).json()
    expect(data.map((row: { current_location: unknown }) => row.current_location)).toEqual([
      'DOCK',
      undefined,
    ])
    expect(catalog.tracking.pageSizes).toEqual([2])
    expect((await legacy.asset('A')).current_location).toBe('DOCK')
  })

  test('shows a rename of the location at once, and is absent after its deletion', async ({
    catalog,
    legacy,
  }) => {
    const dock = await catalog.location({ external_key: 'DOCK' })
    const { id } = await catalog.asset({ external_key: 'A' })
    catalog.tracking.see(catalog.orgId, id, dock.id)
    await catalog.post(`/locations/${dock.id}/rename`, { external_key: 'GATE' })
    expect((await legacy.asset('A')).current_location).toBe('GATE')
    await catalog.delete(`/locations/${dock.id}`)
    expect(await legacy.asset('A')).not.toHaveProperty('current_location')
  })

  test('is absent while tracking is away; the asset can be read and changed', async ({ catalog, legacy }) => {
    await catalog.asset({ external_key: 'A', name: 'before' })
    catalog.tracking.away = true
    expect(await legacy.asset('A')).not.toHaveProperty('current_location')
    expect((await legacy.get('/assets')).json().data[0]).not.toHaveProperty('current_location')
    const changed = await legacy.put('/assets/A', { name: 'after' })
    expect(changed.statusCode).toBe(200)
    expect(changed.json().data).not.toHaveProperty('current_location')
    catalog.tracking.away = false
    const after = await legacy.asset('A')
    expect(after.name).toBe('after')
    expect(after).not.toHaveProperty('current_location')
  })
})

describe('D1.6 current_location on create and PUT', () => {
  test('is queued in the transaction, sent to tracking directly, and shown by the reply', async ({
    catalog,
    legacy,
  }) => {
    const dock = await catalog.location({ external_key: 'DOCK', name: 'The dock' })
    catalog.tracking.placed = []
    const created = await legacy.post('/assets', { name: 'A', identifier: 'A', current_location: 'DOCK' })
    expect(created.statusCode).toBe(201)
    const { data } = created.json()
    expect(data.current_location).toBe('DOCK')
    expect(await legacy.asset('A')).toEqual(data)
    const [published, ...more] = await placements(catalog)
    expect(published).toMatchObject({
      org_id: catalog.orgId,
      asset: { id: data.surrogate_id, external_key: 'A', name: 'A', deleted_at: null },
      location: { id: dock.id, external_key: 'DOCK', name: 'The dock' },
      placed_at: data.created_at,
    })
    expect(more).toEqual([])
    expect(catalog.tracking.placed).toEqual([published])
  })

  test('PUT sends the changed asset with a later time; without current_location it sends nothing', async ({
    catalog,
    legacy,
  }) => {
    await catalog.location({ external_key: 'DOCK' })
    await catalog.location({ external_key: 'GATE' })
    await legacy.post('/assets', { name: 'A', identifier: 'A', current_location: 'DOCK' })
    const moved = await legacy.put('/assets/A', { identifier: 'B', current_location: 'GATE' })
    expect(moved.json().data).toMatchObject({ identifier: 'B', current_location: 'GATE' })
    const again = await legacy.put('/assets/B', { current_location: 'GATE' })
    expect(again.statusCode).toBe(200)
    await legacy.put('/assets/B', { name: 'x' })
    const published = await placements(catalog)
    expect(published.map((p) => [p.asset.external_key, p.location.external_key])).toEqual([
      ['A', 'DOCK'],
      ['B', 'GATE'],
      ['B', 'GATE'],
    ])
    expect(new Set(published.map((p) => p.placed_at)).size).toBe(3)
    expect(published.map((p) => p.placed_at).toSorted()).toEqual(published.map((p) => p.placed_at))
    expect(published[2]?.placed_at).toBe(again.json().data.updated_at)
  })

  test('is accepted while tracking is away, waits in the outbox, and is absent from the reply', async ({
    catalog,
    legacy,
  }) => {
    await catalog.location({ external_key: 'DOCK' })
    catalog.tracking.away = true
    const created = await legacy.post('/assets', { name: 'A', identifier: 'A', current_location: 'DOCK' })
    expect(created.statusCode).toBe(201)
    expect(created.json().data).not.toHaveProperty('current_location')
    const put = await legacy.put('/assets/A', { current_location: 'DOCK' })
    expect(put.statusCode).toBe(200)
    catalog.tracking.away = false
    expect(await placements(catalog)).toHaveLength(2)
  })

  test('is fk_not_found before other errors if no live location has the key, and nothing is written', async ({
    catalog,
    legacy,
    otherOrg,
  }) => {
    await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    const gone = await catalog.location({ external_key: 'GONE' })
    await catalog.delete(`/locations/${gone.id}`)
    await catalog.asset({ external_key: 'TAKEN' })
    await catalog.asset({ external_key: 'A', name: 'before' })
    const before = await legacy.asset('A')
    await catalog.takeOutbox()
    for (const current_location of ['THEIRS', 'GONE', 'NOWHERE']) {
      const body = { name: 'after', identifier: 'TAKEN', current_location }
      for (const res of [await legacy.post('/assets', body), await legacy.put('/assets/A', body)]) {
        expect(res.statusCode).toBe(400)
        expect(res.json().error.fields).toEqual([UNRESOLVED])
      }
    }
    expect((await legacy.put('/assets/NONE', { current_location: 'NOWHERE' })).statusCode).toBe(404)
    expect(await legacy.asset('A')).toEqual(before)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('is reported together with other errors that need the stored row', async ({ catalog, legacy }) => {
    await catalog.asset({ external_key: 'A', valid_to: '2030-01-01T00:00:00Z' })
    const body = { valid_from: '2031-01-01T00:00:00Z', current_location: 'NOWHERE' }
    const { fields } = (await legacy.put('/assets/A', body)).json().error
    expect(fields.map((f: { field: string }) => f.field)).toEqual(['current_location', 'valid_to'])
  })

  test.for([
    { value: null, code: 'invalid_value' },
    { value: '', code: 'too_short' },
    { value: 'a b', code: 'invalid_value' },
    { value: 'x'.repeat(256), code: 'too_long' },
    { value: 7, code: 'invalid_value' },
  ])('$value is $code', async ({ value, code }, { catalog, legacy }) => {
    await catalog.asset({ external_key: 'A' })
    const body = { name: 'x', current_location: value }
    for (const res of [await legacy.post('/assets', body), await legacy.put('/assets/A', body)])
      expect(res.json().error.fields).toMatchObject([{ field: 'current_location', code }])
  })

  test('a PUT that conflicts leaves no placement', async ({ catalog, legacy }) => {
    await catalog.location({ external_key: 'DOCK' })
    await catalog.asset({ external_key: 'TAKEN' })
    await catalog.asset({ external_key: 'A' })
    await catalog.takeOutbox()
    catalog.tracking.placed = []
    const res = await legacy.put('/assets/A', { identifier: 'TAKEN', current_location: 'DOCK' })
    expect(res.statusCode).toBe(409)
    expect(await catalog.takeOutbox()).toEqual([])
    expect(catalog.tracking.placed).toEqual([])
  })
})

describe('the list filter location', () => {
  async function scene(catalog: Catalog) {
    const [dock, gate] = [
      await catalog.location({ external_key: 'DOCK' }),
      await catalog.location({ external_key: 'GATE' }),
    ]
    for (const external_key of ['A', 'B', 'C', 'D', 'E', 'F']) {
      const type = external_key === 'B' ? 'person' : 'asset'
      const { id } = await catalog.asset({ external_key, type })
      if (external_key < 'E') catalog.tracking.see(catalog.orgId, id, dock.id)
      if (external_key === 'E') catalog.tracking.see(catalog.orgId, id, gate.id)
    }
    return { dock, gate }
  }

  test('selects assets at any of the locations, together with other filters, order and page', async ({
    catalog,
    legacy,
  }) => {
    await scene(catalog)
    expect(await listed(legacy, 'location=DOCK')).toEqual({ keys: ['A', 'B', 'C', 'D'], total_count: 4 })
    const both = 'location=DOCK&location=GATE'
    expect(await listed(legacy, both)).toEqual({ keys: ['A', 'B', 'C', 'D', 'E'], total_count: 5 })
    const page = `${both}&sort=-identifier&limit=2&offset=1`
    expect(await listed(legacy, page)).toEqual({ keys: ['D', 'C'], total_count: 5 })
    expect(await listed(legacy, `${both}&offset=9`)).toEqual({ keys: [], total_count: 5 })
    expect(await listed(legacy, 'location=DOCK&type=person')).toEqual({ keys: ['B'], total_count: 1 })
    expect(await listed(legacy, 'location=DOCK&identifier=E')).toEqual({ keys: [], total_count: 0 })
  })

  test('finds only live locations of the own organization, and deleted assets with include_deleted', async ({
    catalog,
    legacy,
    otherOrg,
  }) => {
    const { gate } = await scene(catalog)
    await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    expect(await listed(legacy, 'location=THEIRS')).toEqual({ keys: [], total_count: 0 })
    const e = await legacy.asset('E')
    await catalog.delete(`/assets/${e.surrogate_id}`)
    expect(await listed(legacy, 'location=GATE')).toEqual({ keys: [], total_count: 0 })
    expect((await listed(legacy, 'location=GATE&include_deleted=true')).keys).toEqual(['E'])
    await catalog.delete(`/locations/${gate.id}`)
    expect((await listed(legacy, 'location=GATE&include_deleted=true')).keys).toEqual([])
  })

  test('answers 503 while tracking is away', async ({ catalog, legacy }) => {
    await scene(catalog)
    catalog.tracking.away = true
    const res = await legacy.get('/assets?location=DOCK')
    catalog.tracking.away = false
    expect(res.statusCode).toBe(503)
    expect(res.headers['retry-after']).toBeDefined()
  })

  test('refuses locations with too many assets', async ({ catalog, legacy }) => {
    await scene(catalog)
    catalog.tracking.assetsAt = async (_org, _ids, after) => ({
      assetIds: Array.from({ length: 100_000 }, (_, i) => after + i + 1),
      isLast: false,
    })
    const res = await legacy.get('/assets?location=DOCK')
    Reflect.deleteProperty(catalog.tracking, 'assetsAt') // the method of the class is visible again
    expect(res.json().error.fields).toMatchObject([
      { field: 'location', code: 'too_large', params: { max: MAX_ASSETS_AT_LOCATIONS } },
    ])
  })

  test('a value that cannot be a key is invalid_value', async ({ legacy }) => {
    const res = await legacy.get('/assets?location=a%20b')
    expect(res.json().error.fields).toMatchObject([{ field: 'location', code: 'invalid_value' }])
  })
})

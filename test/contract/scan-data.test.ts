import { describe, expect } from 'vitest'
import { test as base } from './support/fixtures.ts'
import { newWorld } from './support/world.ts'

/** An organization in which one asset was scanned once, at its location. */
const test = base
  .extend('world', { scope: 'file' }, ({ api }) => newWorld(api))
  .extend(
    'newScannedWorld',
    ({ api }) =>
      () =>
        newWorld(api),
  )

/** Report rows may show changes of assets and locations this late (D8.9). */
const LATE = { timeout: 5_000, interval: 100 }

describe('D8.1 history', () => {
  test('D8.1 the earliest row has no duration, and the facts of the first observation', async ({
    api,
    world,
  }) => {
    const params = { asset_id: world.asset.id }
    const { body } = await api.call('listAssetHistory', { token: world.key.token, params })
    expect(body).toEqual({
      data: [
        {
          event_observed_at: expect.any(String),
          location_id: world.location.id,
          location_external_key: world.location.external_key,
          duration_seconds: null,
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 1,
    })
  })

  test('D8.1 from and to are inclusive', async ({ api, world }) => {
    const call = { token: world.key.token, params: { asset_id: world.asset.id } }
    const at = (await api.call('listAssetHistory', call)).body.data[0]?.event_observed_at ?? ''
    const end = new Date(Date.parse(at) + 1).toISOString() // the shown instant is cut off to the millisecond
    const count = async (query: Record<string, string>) =>
      (await api.call('listAssetHistory', { ...call, query })).body.total_count
    expect(await count({ from: at, to: end })).toBe(1)
    expect(await count({ from: end })).toBe(0)
    expect(await count({ to: new Date(Date.parse(at) - 1).toISOString() })).toBe(0)
  })

  const good = ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.123456789Z', '2020-01-01T00:00:00+02:00']
  test.for(good)('history from %s is accepted', async (from, { api, world }) => {
    const params = { asset_id: world.asset.id }
    const reply = await api.call('listAssetHistory', { token: world.key.token, params, query: { from } })
    expect(reply.status).toBe(200)
  })

  test('history names the bad bound with the text of the contract', async ({ api, world }) => {
    const call = {
      token: world.key.token,
      params: { asset_id: world.asset.id },
      query: { from: '2020-01-01', to: 'x' },
    }
    const { error } = (await api.call('listAssetHistory', call)).body
    expect(error.fields).toEqual([
      { field: 'from', code: 'invalid_value', message: "Invalid 'from' timestamp; RFC3339 required" },
      { field: 'to', code: 'invalid_value', message: "Invalid 'to' timestamp; RFC3339 required" },
    ])
  })

  test('D8.9 a new asset has an empty history at once', async ({ api, world }) => {
    const { token } = world.key
    const { data } = (await api.call('createAsset', { token, body: { name: 'New' } })).body
    const { body } = await api.call('listAssetHistory', { token, params: { asset_id: data.id } })
    expect(body).toEqual({ data: [], limit: 50, offset: 0, total_count: 0 })
  })
})

describe('D8.2 report', () => {
  test('D8.2 one row per scanned asset, with its dwell; never-scanned assets do not appear', async ({
    api,
    world,
  }) => {
    const { body } = await api.call('listAssetLocations', { token: world.key.token })
    const seen = body.data[0]?.asset_last_seen
    expect(body.data).toEqual([
      {
        asset_id: world.asset.id,
        asset_external_key: world.asset.external_key,
        location_id: world.location.id,
        location_external_key: world.location.external_key,
        asset_deleted_at: null,
        asset_last_seen: seen,
        dwell_started_at: seen,
        dwell_seconds: 0,
      },
    ])
  })

  test('D8.2 filters by either form of asset and location, and q', async ({ api, world }) => {
    const { asset, location, key } = world
    const count = async (query: Record<string, string | number>) =>
      (await api.call('listAssetLocations', { token: key.token, query })).body.total_count
    const matching = [
      { asset_id: asset.id },
      { asset_external_key: asset.external_key },
      { location_id: location.id },
      { location_external_key: location.external_key },
      { q: asset.name.toLowerCase() },
      { q: asset.external_key.slice(2).toLowerCase() },
      { q: asset.tagValue },
    ]
    for (const query of matching) expect([query, await count(query)]).toEqual([query, 1])
    const others = [{ asset_id: location.id }, { asset_external_key: 'NONE' }, { location_id: 5 }, { q: '%' }]
    for (const query of others) expect([query, await count(query)]).toEqual([query, 0])
  })

  test('D8.4 tracking:read opens it too, and the 403 names scans:read', async ({ api, world }) => {
    const { token } = await world.org.key({ scopes: ['tracking:read'] })
    expect((await api.call('listAssetLocations', { token })).status).toBe(200)
    const { token: other } = await world.org.key({ scopes: ['assets:read'] })
    const { error } = (await api.call('listAssetLocations', { token: other })).body
    expect(error.detail).toBe('Missing required scope: scans:read')
  })
})

describe('D8.3 soft deletion', () => {
  test('D8.3 a deleted location keeps its id on rows and loses its key', async ({ api, newScannedWorld }) => {
    const { key, asset, location, child } = await newScannedWorld()
    const { token } = key
    for (const { id } of [child, location])
      await api.call('deleteLocation', { token, params: { location_id: id } })
    const gone = [{ location_id: location.id, location_external_key: null }]
    const report = async () => (await api.call('listAssetLocations', { token })).body.data
    const history = async () =>
      (await api.call('listAssetHistory', { token, params: { asset_id: asset.id } })).body.data
    await expect.poll(report, LATE).toMatchObject(gone)
    await expect.poll(history, LATE).toMatchObject(gone)
  })

  test('a deleted asset leaves the report, is shown on demand, and its history is 404', async ({
    api,
    newScannedWorld,
  }) => {
    const { key, asset } = await newScannedWorld()
    const { token } = key
    await api.call('deleteAsset', { token, params: { asset_id: asset.id } })
    const history = await api.call('listAssetHistory', { token, params: { asset_id: asset.id } })
    expect(history.status).toBe(404)
    const report = async (query: Record<string, boolean>) =>
      (await api.call('listAssetLocations', { token, query })).body.data
    await expect.poll(() => report({}), LATE).toEqual([])
    const rows = await report({ include_deleted: true })
    expect(rows).toMatchObject([{ asset_id: asset.id, asset_deleted_at: expect.any(String) }])
  })
})

import { describe, expect } from 'vitest'
import { catalogOf } from './support/catalog.ts'
import { test as base } from './support/fixtures.ts'
import { scannedJourney } from './support/journey.ts'
import { codesOf } from './support/resources.ts'

/** `asset` was last seen at 9 minutes without a location, `other` at 3 on the shelf. Read only. */
const test = base
  .extend('journey', { scope: 'file' }, ({ api }) => scannedJourney(api))
  .extend(
    'newJourney',
    ({ api }) =>
      () =>
        scannedJourney(api),
  )
  .extend('report', async ({ api, journey: { org, token } }) => {
    const { token: own } = await org.key()
    return {
      token,
      keys: async (query: Record<string, string | number | boolean> = {}) =>
        (await api.call('listAssetLocations', { token: own, query })).body.data.map(
          (row) => row.asset_external_key,
        ),
    }
  })

const LATE = { timeout: 5_000, interval: 100 }

describe('D8.2 report', () => {
  test('D8.2 each sort in both directions; the latest first by default; no key comes last', async ({
    report,
    journey: { asset, other },
  }) => {
    const [a, o] = [asset.external_key, other.external_key]
    expect(await report.keys()).toEqual([a, o])
    expect(await report.keys({ sort: '-asset_last_seen' })).toEqual([a, o])
    expect(await report.keys({ sort: '' }), 'D17.2').toEqual([a, o])
    expect(await report.keys({ sort: 'asset_last_seen' })).toEqual([o, a])
    expect(await report.keys({ sort: 'asset_external_key' })).toEqual([a, o])
    expect(await report.keys({ sort: '-asset_external_key' })).toEqual([o, a])
    for (const sort of [
      'location_external_key',
      '-location_external_key',
      'location_external_key,asset_last_seen',
    ])
      expect(await report.keys({ sort })).toEqual([o, a])
    expect(await report.keys({ limit: 1, offset: 1 })).toEqual([o])
  })

  test('D8.2 the dwell is the unbroken time at one location, null without a location', async ({
    api,
    journey,
  }) => {
    const { token, asset, other, shelf, at } = journey
    const { body } = await api.call('listAssetLocations', { token })
    expect(body.data).toEqual([
      {
        asset_id: asset.id,
        asset_external_key: asset.external_key,
        location_id: null,
        location_external_key: null,
        asset_deleted_at: null,
        asset_last_seen: at(9),
        dwell_started_at: null,
        dwell_seconds: null,
      },
      {
        asset_id: other.id,
        asset_external_key: other.external_key,
        location_id: shelf.id,
        location_external_key: shelf.external_key,
        asset_deleted_at: null,
        asset_last_seen: at(3),
        dwell_started_at: at(3),
        dwell_seconds: 0,
      },
    ])
  })

  test('D8.2 the two forms of one pair are ambiguous on both, and every other problem is reported too', async ({
    api,
    journey: { token },
  }) => {
    const query =
      'asset_id=1&asset_external_key=A&location_id=1&location_external_key=A&sort=name&q=%00&include_deleted=1'
    const reply = await api.call('listAssetLocations', { token, query })
    expect(codesOf(reply).toSorted()).toEqual([
      'asset_external_key ambiguous_fields',
      'asset_id ambiguous_fields',
      'include_deleted invalid_value',
      'location_external_key ambiguous_fields',
      'location_id ambiguous_fields',
      'q invalid_value',
      'sort invalid_value',
    ])
  })

  test('D8.2 q finds name, key and tag value in any case and literally', async ({
    report,
    journey: { asset, other },
  }) => {
    const mark = asset.external_key.split('-')[1] ?? ''
    expect(await report.keys({ q: 'forkLIFT' })).toEqual([asset.external_key])
    expect(await report.keys({ q: `pallet ${mark}`.toLowerCase() })).toEqual([other.external_key])
    expect(await report.keys({ q: mark.toLowerCase() })).toHaveLength(2)
    for (const q of ['%', '_', 'FORKLIFT_', '\\']) expect([q, await report.keys({ q })]).toEqual([q, []])
    expect(await report.keys({ q: '' })).toHaveLength(2)
  })

  test('include_descendants includes sub-locations, and needs a location', async ({
    api,
    report,
    journey,
  }) => {
    const { token, hall, other } = journey
    expect(await report.keys({ location_id: hall.id })).toEqual([])
    expect(await report.keys({ location_id: hall.id, include_descendants: true })).toEqual([
      other.external_key,
    ])
    expect(
      await report.keys({ location_external_key: hall.external_key, include_descendants: true }),
    ).toEqual([other.external_key])
    const alone = await api.call('listAssetLocations', { token, query: { include_descendants: true } })
    expect(codesOf(alone)).toEqual(['include_descendants invalid_context'])
  })

  test('at shows the locations at that time, with every filter; before the first scan there is no row', async ({
    api,
    report,
    journey: { token, asset, other, dock, shelf, hall, at },
  }) => {
    const [a, o] = [asset.external_key, other.external_key]
    expect(await report.keys({ at: at(4) })).toEqual([o, a])
    expect(await report.keys({ at: at(2) })).toEqual([a])
    expect(await report.keys({ at: new Date(Date.parse(at(0)) - 1).toISOString() })).toEqual([])
    expect(await report.keys({ at: at(4), location_id: dock.id })).toEqual([a])
    expect(
      await report.keys({ at: at(5), location_external_key: shelf.external_key, sort: 'asset_external_key' }),
    ).toEqual([a, o])
    expect(
      await report.keys({ at: at(5), location_id: hall.id, include_descendants: true, q: 'fork' }),
    ).toEqual([a])
    const query = { at: at(6), limit: 1 }
    const { body } = await api.call('listAssetLocations', { token, query })
    expect(body).toMatchObject({ total_count: 2, data: [{ asset_last_seen: at(5), dwell_seconds: null }] })
    const old = await api.call('listAssetLocations', { token, query: { at: '2001-01-01T00:00:00Z' } })
    expect(codesOf(old)).toEqual(['at too_small'])
    const wrong = await api.call('listAssetLocations', { token, query: { at: '2001-01-01' } })
    expect(wrong.body.error.detail).toBe("Invalid 'at' timestamp; RFC3339 required")
  })

  test('D12.5 location_id=none and not_seen_since, with other filters and at=', async ({
    api,
    report,
    journey: { token, asset, other, shelf, at },
  }) => {
    const [a, o] = [asset.external_key, other.external_key]
    expect(await report.keys({ location_id: 'none' })).toEqual([a])
    expect(await report.keys({ location_id: 'none', q: 'pallet' })).toEqual([])
    expect(await report.keys({ not_seen_since: at(9) })).toEqual([o])
    expect(await report.keys({ not_seen_since: at(3) })).toEqual([])
    expect(await report.keys({ not_seen_since: '2990-01-01T00:00:00Z' })).toEqual([a, o])
    expect(await report.keys({ not_seen_since: '2990-01-01T00:00:00Z', location_id: shelf.id })).toEqual([o])
    expect(await report.keys({ at: at(6), not_seen_since: at(5), location_id: shelf.id })).toEqual([o])
    const refused = async (query: string) => codesOf(await api.call('listAssetLocations', { token, query }))
    expect(await refused('location_id=none&location_id=1')).toEqual(['location_id ambiguous_fields'])
    expect((await refused('location_id=none&location_external_key=A')).toSorted()).toEqual([
      'location_external_key ambiguous_fields',
      'location_id ambiguous_fields',
    ])
    expect(await refused('location_id=NONE&not_seen_since=today')).toEqual([
      'location_id invalid_value',
      'not_seen_since invalid_value',
    ])
    const legacy = await api.call('listLegacyCurrentLocations', { token, query: 'not_seen_since=x' })
    expect(codesOf(legacy)).toEqual(['not_seen_since unknown_field'])
  })

  test('D12.6 expand shows the asset and the location of each row', async ({
    api,
    journey: { token, asset, other, shelf },
  }) => {
    const thing = ({ id, external_key, name }: typeof asset | typeof shelf) => ({ id, external_key, name })
    const rows = async (query: string) => (await api.call('listAssetLocations', { token, query })).body.data
    const [first, second] = await rows('')
    expect(await rows('expand=location,asset')).toEqual([
      { ...first, asset: thing(asset), location: null },
      { ...second, asset: thing(other), location: thing(shelf) },
    ])
    expect(await rows('expand=location&limit=1')).toEqual([{ ...first, location: null }])
    for (const query of ['expand=', 'expand=tags', 'expand=asset,', 'expand=asset&expand=location'])
      expect(codesOf(await api.call('listAssetLocations', { token, query })), query).toEqual([
        'expand invalid_value',
      ])
    const csv = { token, headers: { accept: 'text/csv' } }
    const expanded = await api.call('listAssetLocations', { ...csv, query: 'expand=asset' })
    expect(expanded.text).toBe((await api.call('listAssetLocations', csv)).text)
  })

  test('the report as CSV has the same rows, and the total in a header', async ({ api, journey }) => {
    const { token, other, shelf, at } = journey
    const headers = { accept: 'text/csv' }
    const csv = await api.call('listAssetLocations', { token, headers, query: { limit: 1, offset: 1 } })
    expect(csv.headers.get('x-total-count')).toBe('2')
    expect(csv.text.split('\r\n')).toEqual([
      '\uFEFFasset_id,asset_external_key,location_id,location_external_key,asset_deleted_at,asset_last_seen,dwell_started_at,dwell_seconds',
      `${other.id},${other.external_key},${shelf.id},${shelf.external_key},,${at(3)},${at(3)},0`,
      '',
    ])
  })
})

describe('D1.4 current locations', () => {
  test.for(['listCurrentLocations', 'listLegacyCurrentLocations'] as const)(
    'D1.4 %s has natural keys, filters and orders',
    async (operation, { api, journey: { token, other, asset, shelf, at } }) => {
      const rows = async (query: Record<string, string> = {}) =>
        (await api.call(operation, { token, query })).body
      const row = { asset: other.external_key, location: shelf.external_key, last_seen: at(3) }
      expect(await rows()).toEqual({ data: [row], limit: 50, offset: 0, total_count: 1 })
      expect(
        (await rows({ location: shelf.external_key, asset: other.external_key, q: 'pal' })).data,
      ).toEqual([row])
      expect((await rows({ asset: asset.external_key })).data).toEqual([])
      for (const sort of ['last_seen', '-asset', 'location'])
        expect((await rows({ sort })).data).toEqual([row])
      expect(codesOf({ body: await rows({ asset_id: '1', sort: 'id' }) })).toEqual([
        'asset_id unknown_field',
        'sort invalid_value',
      ])
    },
  )
})

describe('D7.1 effective rows', () => {
  test('D7.1 a row follows the validity of its asset, and is_active hides nothing', async ({
    api,
    newJourney,
  }) => {
    const { token, asset, other } = await newJourney()
    const keys = async () =>
      (await api.call('listAssetLocations', { token })).body.data.map((r) => r.asset_external_key)
    const patch = (id: number, body: object) =>
      api.call('updateAsset', { token, params: { asset_id: id }, body })
    await patch(other.id, { is_active: false })
    await patch(asset.id, {
      valid_to: new Date(Date.now() - 1_000).toISOString(),
      valid_from: '2020-01-01T00:00:00Z',
    })
    await expect.poll(keys, LATE).toEqual([other.external_key])
    await patch(asset.id, { valid_to: null })
    await expect.poll(keys, LATE).toEqual([asset.external_key, other.external_key])
    await catalogOf(api, token).deleteAsset(other.id)
    await expect.poll(keys, LATE).toEqual([asset.external_key])
  })
})

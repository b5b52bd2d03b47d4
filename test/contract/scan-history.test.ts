import { describe, expect } from 'vitest'
import { scannedJourney } from './support/journey.ts'
import { codesOf } from './support/resources.ts'
import { test as base } from './support/fixtures.ts'

/**
 * An asset that was at the dock at 0, 1 and 2 minutes, on the shelf at 5 and without a location at 9, some hours ago.
 */
const test = base.extend('journey', { scope: 'file' }, ({ api }) => scannedJourney(api))

describe('D8.1 history of several rows', () => {
  test('D8.1 newest first; a duration is the time since the row before, null on the earliest', async ({
    api,
    journey: { token, asset, dock, shelf, at },
  }) => {
    const { body } = await api.call('listAssetHistory', { token, params: { asset_id: asset.id } })
    const row = (minute: number, place: typeof dock | undefined, duration_seconds: number | null) => ({
      event_observed_at: at(minute),
      location_id: place?.id ?? null,
      location_external_key: place?.external_key ?? null,
      duration_seconds,
    })
    expect(body).toEqual({
      data: [
        row(9, undefined, 240),
        row(5, shelf, 180),
        row(2, dock, 60),
        row(1, dock, 60),
        row(0, dock, null),
      ],
      limit: 50,
      offset: 0,
      total_count: 5,
    })
  })

  test('D8.1 sort over event_observed_at in both directions, and pages', async ({
    api,
    journey: { token, asset, at },
  }) => {
    const times = async (query: Record<string, string | number>) => {
      const { body } = await api.call('listAssetHistory', { token, params: { asset_id: asset.id }, query })
      expect(body.total_count).toBe(5)
      return body.data.map((row) => row.event_observed_at)
    }
    const oldestFirst = [0, 1, 2, 5, 9].map(at)
    expect(await times({ sort: 'event_observed_at' })).toEqual(oldestFirst)
    expect(await times({ sort: '-event_observed_at' })).toEqual(oldestFirst.toReversed())
    expect(await times({ limit: 2, offset: 1 })).toEqual([at(5), at(2)])
    expect(await times({ offset: 5 })).toEqual([])
  })

  test('D8.1 from and to are inclusive at any precision, and durations use rows before from', async ({
    api,
    journey: { token, asset, at },
  }) => {
    const rows = async (query: Record<string, string>) => {
      const { body } = await api.call('listAssetHistory', { token, params: { asset_id: asset.id }, query })
      expect(body.total_count).toBe(body.data.length)
      return body.data.map((row) => [row.event_observed_at, row.duration_seconds])
    }
    const [one, five] = [at(1), at(5)]
    const wanted = [[five, 180], [at(2), 60], [one, 60]] // oxfmt-ignore
    expect(await rows({ from: one, to: five })).toEqual(wanted)
    expect(await rows({ from: one.replace('Z', '000000Z'), to: five.replace('Z', '999999Z') })).toEqual(
      wanted,
    )
    expect(await rows({ from: one.replace('Z', '001Z'), to: five })).toEqual(wanted.slice(0, 2))
    const inOffset = `${new Date(Date.parse(one) + 7_200_000).toISOString().slice(0, -1)}+02:00`
    expect(await rows({ from: inOffset, to: five })).toEqual(wanted)
    expect(await rows({ from: five, to: one })).toEqual([])
  })

  test('the history as CSV has the same rows, the total in a header, and errors as JSON', async ({
    api,
    journey: { token, asset, dock, at },
  }) => {
    const call = { token, params: { asset_id: asset.id }, headers: { accept: 'text/csv' } }
    const csv = await api.call('listAssetHistory', { ...call, query: { limit: 1, offset: 4 } })
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('x-total-count')).toBe('5')
    expect(csv.headers.get('access-control-expose-headers')).toContain('X-Total-Count')
    expect(csv.text).toBe(
      `\uFEFFevent_observed_at,location_id,location_external_key,duration_seconds\r\n${at(0)},${dock.id},${dock.external_key},\r\n`,
    )
    const head = await api.call('listAssetHistory', { ...call, method: 'HEAD' })
    expect([head.headers.get('content-type'), head.text]).toEqual(['text/csv; charset=utf-8', ''])
    const wrong = await api.call('listAssetHistory', { ...call, query: { limit: 0 } })
    expect(wrong.body.error.type).toBe('validation_error')
    const json = await api.call('listAssetHistory', {
      ...call,
      headers: { accept: 'text/csv;q=0.5, application/json' },
    })
    expect(json.body.total_count).toBe(5)
  })

  test('D1.2 the legacy vocabulary has the same history under its own names', async ({
    api,
    journey: { token, asset, dock, shelf, at },
  }) => {
    const call = { token, params: { identifier: asset.external_key } }
    const { body } = await api.call('getLegacyAssetHistory', { ...call, query: { limit: 3 } })
    expect(body).toEqual({
      data: [
        { location: null, timestamp: at(9), duration_seconds: 240 },
        { location: shelf.external_key, timestamp: at(5), duration_seconds: 180 },
        { location: dock.external_key, timestamp: at(2), duration_seconds: 60 },
      ],
      limit: 3,
      offset: 0,
      total_count: 5,
    })
    const query = { sort: 'timestamp', from: at(5) }
    const ascending = (await api.call('getLegacyAssetHistory', { ...call, query })).body.data
    expect(ascending.map((row) => row.timestamp)).toEqual([at(5), at(9)])
    const bad = await api.call('getLegacyAssetHistory', { ...call, query: { to: '1' } })
    expect(bad.body.error.detail).toBe("Invalid 'to' timestamp; RFC3339 required")
  })

  test('D12.6 expand shows the asset and the location of each row of the history', async ({
    api,
    journey: { asset, token },
  }) => {
    const params = { asset_id: asset.id }
    const { data } = (await api.call('listAssetHistory', { token, params })).body
    const query = { expand: 'asset,location' }
    const expanded = (await api.call('listAssetHistory', { token, params, query })).body.data
    const shown = { id: asset.id, external_key: asset.external_key, name: asset.name }
    expect(expanded.map(({ location: _location, ...row }) => row)).toEqual(
      data.map((row) => ({ ...row, asset: shown })),
    )
    expect(expanded.map(({ location }) => location?.external_key ?? null)).toEqual(
      data.map((row) => row.location_external_key),
    )
    const legacy = { token, params: { identifier: asset.external_key }, query }
    expect(codesOf(await api.call('getLegacyAssetHistory', legacy))).toEqual(['expand unknown_field'])
  })

  test('D8.4 either name of the scope opens every operation that reads scans', async ({
    api,
    journey: { org, asset },
  }) => {
    for (const scope of ['scans:read', 'tracking:read'] as const) {
      const { token } = await org.key({ scopes: [scope] })
      const params = { asset_id: asset.id, identifier: asset.external_key }
      for (const operation of [
        'listAssetHistory',
        'getLegacyAssetHistory',
        'listAssetLocations',
        'listCurrentLocations',
        'listLegacyCurrentLocations',
      ] as const)
        expect([operation, (await api.call(operation, { token, params })).status]).toEqual([operation, 200])
    }
  })
})

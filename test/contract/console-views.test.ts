import { describe, expect } from 'vitest'
import { scannedJourney } from './support/journey.ts'
import { test as base } from './support/fixtures.ts'

const test = base.extend('journey', { scope: 'file' }, ({ api }) => scannedJourney(api))

const HOUR_MS = 3_600_000

describe('D10 other views of the console', () => {
  test('D10 the sightings of an asset are its history with what decided each row', async ({
    api,
    journey: { org, token, asset, dock, shelf, at },
  }) => {
    const call = { params: { asset_id: asset.id }, query: { limit: 200 } }
    const { data, total_count } = (await api.call('listSightings', { ...call, token: org.admin })).body
    expect(total_count).toBe(5)
    const history = (await api.call('listAssetHistory', { ...call, token })).body.data
    const asHistory = data.map(({ observed_at, location, duration_seconds }) => ({
      event_observed_at: observed_at,
      location_id: location?.id ?? null,
      location_external_key: location?.external_key ?? null,
      duration_seconds,
    }))
    expect(asHistory).toEqual(history)
    expect(data.map(({ location }) => location?.name ?? null)).toEqual([null, shelf.name, ...Array.from({ length: 3 }, () => dock.name)]) // oxfmt-ignore
    const read = { reader: { id: expect.any(Number), name: 'Gate' }, antenna: 1, tag: expect.any(Object) }
    const byKey = { decided_by: 'location_key', location_key: shelf.external_key, scan_point: null }
    expect(data[1]).toMatchObject({ observed_at: at(5), ...read, ...byKey })
    const nowhere = { id: expect.any(Number), name: 'nowhere', location: null }
    expect(data[0]).toMatchObject({
      ...read,
      decided_by: 'scan_point',
      location_key: null,
      scan_point: nowhere,
    })
  })

  test('D10 each hour has its movements; for a location, also arrivals and departures', async ({
    api,
    journey: { org, dock, shelf, at },
  }) => {
    const [from, to] = [at(0), at(60)]
    const read = async (location_id: number) =>
      (await api.call('summarizeMovements', { token: org.admin, query: { from, to, location_id } })).body.data
    const ofDock = await read(dock.id)
    expect([ofDock.from, ofDock.to]).toEqual([from, to])
    const hours = ofDock.hours.map(({ hour }) => Date.parse(hour))
    expect(hours).toEqual([0, 1].map((n) => (Math.floor(Date.parse(from) / HOUR_MS) + n) * HOUR_MS))
    const sums = (all: typeof ofDock) =>
      (['moves', 'in', 'out'] as const).map((name) => all.hours.reduce((sum, hour) => sum + (hour[name] ?? 0), 0)) // oxfmt-ignore
    expect(sums(ofDock)).toEqual([3, 1, 1]) // a first scan is a movement; a scan without a location is not
    expect(sums(await read(shelf.id))).toEqual([3, 2, 0])
  })

  test('D10 occupancy and the branches of the tree agree with the report', async ({
    api,
    journey: { org, hall, dock, shelf },
  }) => {
    const token = org.admin
    const query = { location_id: [shelf.id, hall.id, dock.id] }
    expect((await api.call('listOccupancy', { token, query })).body).toEqual({
      data: [
        { location_id: shelf.id, here: 1, inside: 1 },
        { location_id: hall.id, here: 0, inside: 1 },
        { location_id: dock.id, here: 0, inside: 0 },
      ],
      total: 2,
      nowhere: 1,
    })
    const { data: floor } = (await api.call('getFloor', { token })).body
    const { id: ids, inside: total } = floor.locations
    expect(Object.fromEntries(ids.map((location, i) => [location, total[i]]))).toEqual({
      [shelf.id]: 1,
      [hall.id]: 1,
      [dock.id]: 0,
    })
    expect(floor).toMatchObject({ total_locations: 3, total_assets: 1 })
    expect(floor.assets.location.map((index) => ids[index])).toEqual([shelf.id])
    const roots = await api.call('listLocationBranch', { token })
    expect(roots.body).toEqual({
      data: [{ ...hall, children_count: 2 }],
      limit: 50,
      offset: 0,
      total_count: 1,
    })
    const inside = await api.call('listLocationBranch', { token, query: { parent_id: hall.id } })
    expect(inside.body.data.map(({ id, children_count }) => [id, children_count])).toEqual([[dock.id, 0], [shelf.id, 0]]) // oxfmt-ignore
  })
})

import type { Floor } from '@whereabouts/contracts/resources/tracking/floor'
import { describe, expect } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { store } from '../../../test/store.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'
import { readPlaces } from './floor.queries.ts'

const MINUTE = 60_000
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE

const seen = (assetId: number, locationId: number | null, minutes: number, orgId = 1): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(START) + minutes,
  observedAtMs: START + minutes * MINUTE,
  locationId,
  ...readBy('r'),
})

const ask = async (tracking: Tracking, orgId = 1) =>
  (await tracking.call('GET', '/floor', { orgId })).json<{ data: Floor }>().data

/** Each location by its name, with its parent and its numbers. */
const roomsOf = ({ locations: { name, parent, here, inside } }: Floor) =>
  Object.fromEntries(name.map((each, i) => [each, [name[parent[i] ?? -1] ?? null, here[i], inside[i]]]))

/** Each asset with its location, in order. */
const assetsOf = ({ assets, locations }: Floor) =>
  assets.name.map((name, i) => [name, locations.name[assets.location[i] ?? -1] ?? null])

/** A hall with an aisle with a shelf, and a dock: one asset each, two on the shelf, one at no location. */
async function warehouse(tracking: Tracking) {
  const { catalog } = tracking
  const hall = catalog.location(1, 'Hall')
  const aisle = catalog.location(1, 'Aisle', { parent_id: hall.id })
  const shelf = catalog.location(1, 'Shelf', { parent_id: aisle.id })
  const dock = catalog.location(1, 'Dock')
  const theirs = catalog.location(2, 'Theirs')
  const foreign = catalog.asset(2, 'Foreign')
  const places = [hall.id, aisle.id, shelf.id, shelf.id, dock.id, null]
  const assets = places.map((_, i) => catalog.asset(1, `Asset ${i}`))
  await tracking.project()
  await store(tracking.db, tracking.view, [
    ...places.map((place, i) => seen(assets[i]!.id, place, i)),
    seen(foreign.id, theirs.id, 1, 2),
  ])
  return { hall, aisle, shelf, dock, assets }
}

describe('GET /floor', () => {
  test('has each location below its parent with its numbers, and the assets, seen last first', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const floor = await ask(tracking)
    expect(roomsOf(floor)).toEqual({
      Hall: [null, 1, 4],
      Aisle: ['Hall', 1, 3],
      Shelf: ['Aisle', 2, 2],
      Dock: [null, 1, 1],
    })
    expect(floor.locations.parent.every((parent, i) => parent < i)).toBe(true)
    expect(assetsOf(floor)).toEqual([
      ['Asset 4', 'Dock'],
      ['Asset 3', 'Shelf'],
      ['Asset 2', 'Shelf'],
      ['Asset 1', 'Aisle'],
      ['Asset 0', 'Hall'],
    ])
    expect(floor).toMatchObject({ total_locations: 4, total_assets: 5 })
    expect(floor.assets.type).toEqual(Array.from({ length: 5 }, () => 'asset'))
    expect(floor.assets.seen[0]).toBe((START + 4 * MINUTE) / 1000)
    expect(floor.assets.since[4]).toBe(START / 1000)
    expect(assetsOf(await ask(tracking, 2))).toEqual([['Foreign', 'Theirs']])
  })

  test('counts as occupancy does, with deleted, expired and unknown ones', async ({ tracking }) => {
    const { hall, aisle, shelf, dock, assets } = await warehouse(tracking)
    tracking.catalog.change(assets[0]!, { deleted_at: '2026-11-20T00:00:00.000Z' })
    tracking.catalog.change(assets[2]!, { valid_to: '2020-02-01T00:00:00.000Z' })
    tracking.catalog.change(aisle, { valid_to: '2020-02-01T00:00:00.000Z' })
    tracking.catalog.change(dock, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    const floor = await ask(tracking)
    const query = [hall, shelf].map(({ id }) => `location_id=${id}`).join('&')
    const occupancy = (await tracking.call('GET', `/reports/occupancy?${query}`)).json<{ data: object[] }>()
    const { id, here, inside } = floor.locations
    const rows = id.map((location_id, i) => ({ location_id, here: here[i], inside: inside[i] }))
    expect(rows).toHaveLength(2)
    expect(occupancy.data).toHaveLength(2)
    expect(rows).toEqual(expect.arrayContaining(occupancy.data))
    // A location outside of its validity, or deleted, is not drawn. What is there counts, and has no place on the picture.
    expect(assetsOf(floor)).toEqual([
      ['Asset 4', null],
      ['Asset 3', 'Shelf'],
      ['Asset 1', null],
    ])
    expect(floor.total_assets).toBe(3)
  })

  test('numbers count all where the assets are cut', async ({ tracking }) => {
    const { shelf } = await warehouse(tracking)
    const { held, assets } = await readPlaces(tracking.db, 1, 2)
    expect(assets.map(({ name }) => name)).toEqual(['Asset 4', 'Asset 3'])
    expect(held.get(shelf.id)).toBe(2)
    expect([...held.values()].reduce((sum, count) => sum + count, 0)).toBe(5)
  })

  test('an organization without anything has an empty floor', async ({ tracking }) => {
    expect(await ask(tracking)).toMatchObject({ total_locations: 0, total_assets: 0, assets: { id: [] } })
  })
})

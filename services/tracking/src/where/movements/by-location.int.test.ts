import type { LocationUse, LocationUses } from '@whereabouts/contracts/resources/tracking/movements'
import { expect } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { store } from '../../../test/store.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'
import { locationUses } from './by-location.handlers.ts'

const MINUTE = 60_000
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 300 * MINUTE
const at = (minutes: number) => new Date(START + minutes * MINUTE).toISOString()

const row = (assetId: number, minutes: number, locationId: number, orgId = 1): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(START) + minutes,
  observedAtMs: START + minutes * MINUTE,
  locationId,
  ...readBy('r'),
})

const call = (tracking: Tracking, from: string, to: string) =>
  tracking.call('GET', `/movements/by-location?${new URLSearchParams({ from, to }).toString()}`, { orgId: 1 })

/** Minutes instead of seconds. */
async function usesOf(tracking: Tracking, from: number, to: number) {
  const { data } = (await call(tracking, at(from), at(to))).json<{ data: LocationUses }>()
  expect(data).toMatchObject({ from: at(from), to: at(to), is_cut: false })
  return new Map(
    data.locations.map(({ location_id: id, arrivals, dwell_seconds, most_assets: most }) => [
      id,
      { arrivals, dwell: dwell_seconds / 60, most },
    ]),
  )
}

test('arrivals, dwell and the most assets are of the time and of one organization', async ({ tracking }) => {
  const { catalog } = tracking
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  const [pump, cart, crate] = [catalog.asset(1, 'Pump'), catalog.asset(1, 'Cart'), catalog.asset(1, 'Crate')]
  const [theirs, place] = [catalog.asset(2, 'Theirs'), catalog.location(2, 'Theirs')]
  await tracking.project()
  await store(tracking.db, tracking.view, [
    row(pump.id, -100, dock.id),
    row(cart.id, 0, dock.id),
    row(pump.id, 20, shelf.id),
    row(crate.id, 20, dock.id),
    row(crate.id, 40, shelf.id),
    row(cart.id, 90, shelf.id),
    row(theirs.id, 10, place.id, 2),
  ])
  expect(await usesOf(tracking, 10, 60)).toEqual(
    new Map([
      [dock.id, { arrivals: 1, dwell: 10 + 50 + 20, most: 2 }],
      [shelf.id, { arrivals: 2, dwell: 40 + 20, most: 2 }],
    ]),
  )
  await store(tracking.db, tracking.view, [row(pump.id, 15, shelf.id)]) // a late scan
  expect((await usesOf(tracking, 10, 60)).get(shelf.id)).toEqual({ arrivals: 2, dwell: 45 + 20, most: 2 })
})

test('a deleted asset stays until it is deleted, and is nowhere after that', async ({ tracking }) => {
  const { catalog } = tracking
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  const pump = catalog.asset(1, 'Pump', { deleted_at: at(30) })
  const lamp = catalog.asset(1, 'Lamp', { valid_to: at(20) })
  await tracking.project()
  await store(tracking.db, tracking.view, [
    row(pump.id, 0, dock.id),
    row(lamp.id, 0, dock.id),
    row(pump.id, 50, shelf.id),
  ])
  const late = { arrivals: 1, dwell: 0, most: 0 }
  expect(await usesOf(tracking, 10, 60)).toEqual(
    new Map([
      [dock.id, { arrivals: 0, dwell: 20 + 10, most: 2 }],
      [shelf.id, late],
    ]),
  )
  expect(await usesOf(tracking, 25, 45)).toEqual(new Map([[dock.id, { arrivals: 0, dwell: 5, most: 1 }]]))
  expect(await usesOf(tracking, 40, 60)).toEqual(new Map([[shelf.id, late]]))
})

test('the counts are those of a walk through the minutes, one by one', async ({ tracking }) => {
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const places = ['A', 'B', 'C'].map((name) => tracking.catalog.location(1, name).id)
  const assets = Array.from({ length: 8 }, (_, i) => tracking.catalog.asset(1, `Asset ${i}`).id)
  await tracking.project()
  const scans = new Map<string, Observation>()
  for (let i = 0; i < 150; i += 1) {
    const scan = row(assets[next(8)] ?? 0, next(120), places[next(3)] ?? 0)
    scans.set(`${scan.assetId} ${scan.minute}`, scan)
  }
  const all = [...scans.values()]
  await store(tracking.db, tracking.view, all)
  expect(await usesOf(tracking, 30, 90)).toEqual(naive(all, places, 30, 90))
})

/** Steps through the minutes. An arrival is a minute in which an asset is where it was not the minute before. */
function naive(scans: readonly Observation[], places: readonly number[], from: number, to: number) {
  const whereAt = (asset: number, minute: number) =>
    scans
      .filter((scan) => scan.assetId === asset && scan.minute <= minuteOf(START) + minute)
      .toSorted((a, b) => b.minute - a.minute)[0]?.locationId
  const assets = [...new Set(scans.map(({ assetId }) => assetId))]
  const uses = new Map(places.map((place) => [place, { arrivals: 0, dwell: 0, most: 0 }]))
  for (let minute = from; minute <= to; minute += 1)
    for (const [place, use] of uses) {
      const here = assets.filter((asset) => whereAt(asset, minute) === place)
      use.most = Math.max(use.most, here.length)
      if (minute < to) use.dwell += here.length
      if (minute > from) use.arrivals += here.filter((asset) => whereAt(asset, minute - 1) !== place).length
    }
  return uses
}

test('with more movements than are counted, the time ends with the first that is not', async ({
  tracking,
}) => {
  const { catalog, db } = tracking
  const [dock, shelf, pump] = [
    catalog.location(1, 'Dock'),
    catalog.location(1, 'Shelf'),
    catalog.asset(1, 'Pump'),
  ]
  await tracking.project()
  await store(db, tracking.view, [row(pump.id, 1, dock.id), row(pump.id, 11, shelf.id), row(pump.id, 21, dock.id)]) // oxfmt-ignore
  const window = { fromMs: START, toMs: START + 60 * MINUTE }
  const use = (id: number, dwell: number): LocationUse => ({
    location_id: id,
    arrivals: 1,
    dwell_seconds: dwell * 60,
    most_assets: 1,
  })
  expect(await locationUses(db, 1, window, 2)).toEqual({
    from: at(0),
    to: at(21),
    is_cut: true,
    locations: [use(dock.id, 10), use(shelf.id, 10)],
  })
})

test('the time is of at most seven days', async ({ tracking }) => {
  const weekLater = at(7 * 24 * 60)
  expect((await call(tracking, at(0), weekLater)).statusCode).toBe(200)
  expect((await call(tracking, at(-1), weekLater)).json().error.fields).toMatchObject([
    { field: 'from', code: 'too_small', params: { min: at(0) } },
  ])
})

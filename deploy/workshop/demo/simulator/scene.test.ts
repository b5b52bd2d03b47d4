import { expect, test } from 'vitest'
import { GATE_READER, UNSEEN_ASSET, warehousePlan } from '../warehouse.ts'
import type { Sighting } from './device.ts'
import { seededRandom } from './random.ts'
import { createRounds } from './rounds.ts'
import { createScene } from './scene.ts'
import { createWalk, isWalking, neighbours } from './walk.ts'

const plan = warehousePlan()
const start = Date.parse('2026-03-01T10:00:10.000Z')
const STEP_MS = 250

/** Lets the warehouse run and returns what was seen, in order. */
function run(seconds: number, { seed = 1, reads = 40, moves = 2 } = {}) {
  const scene = createScene(plan, seededRandom(seed))
  const seen = Array.from({ length: (seconds * 1000) / STEP_MS }, (_, index) => {
    const now = new Date(start + index * STEP_MS)
    const share = STEP_MS / 1000
    return [...scene.advance({ now, reads: reads * share, moves: moves * share })]
  }).flat()
  return { scene, seen: seen.flatMap(([key, sightings]) => sightings.map((sighting) => ({ key, sighting }))) }
}

const locationOf = (key: string, { antenna, locationKey }: Sighting) =>
  locationKey ??
  plan.readers.find((reader) => reader.key === key)?.antennas.find((a) => a.antenna === antenna)?.locationKey

test('the same seed gives the same warehouse, another seed a different one', () => {
  expect(run(20).seen).toEqual(run(20).seen)
  expect(run(20, { seed: 2 }).seen).not.toEqual(run(20).seen)
})

test('almost every asset is seen within the first minute, even at half the default rate', () => {
  expect(run(60).scene.assetsSeen).toBe(499)
  expect(run(60, { reads: 20 }).scene.assetsSeen).toBe(499)
})

test('the asset for manual scans is never seen', () => {
  const tags = plan.assets
    .find(({ key }) => key === UNSEEN_ASSET)
    ?.tags.map(({ value }) => value.toUpperCase())
  const values = new Set(run(60).seen.map(({ sighting }) => sighting.tag.value))
  expect(tags?.filter((value) => values.has(value))).toEqual([])
})

test('reads come at the requested rate', () => {
  expect(run(60).seen.length).toBeGreaterThan(2390)
  expect(run(60).seen.length).toBeLessThan(2420)
})

test('every read can be resolved to a location', () => {
  const places = run(30).seen.map(({ key, sighting }) => locationOf(key, sighting))
  expect(places).not.toContain(undefined)
})

test('seconds into a new minute, dozens of assets have moved since the last', () => {
  const firstPlaces = new Map<string, string>() // by minute and tag: the first observation of a minute counts
  for (const { key, sighting } of run(54).seen) {
    const minute = Math.floor(sighting.seenAt.getTime() / 60_000)
    const id = `${minute} ${sighting.tag.value}`
    if (!firstPlaces.has(id)) firstPlaces.set(id, locationOf(key, sighting) ?? '')
  }
  const minute = Math.floor(start / 60_000)
  const moved = [...firstPlaces].filter(([id, place]) => {
    const before =
      id.startsWith(`${minute + 1} `) && firstPlaces.get(id.replace(`${minute + 1}`, `${minute}`))
    return before !== false && before !== undefined && before !== place
  })
  expect(moved.length).toBeGreaterThan(30)
})

test('its six readers see tags, and sometimes an unknown tag', () => {
  const { seen } = run(120)
  const unknown = seen.filter(({ sighting: { tag } }) => tag.value.startsWith('30340242201B3C40'))
  expect(new Set(seen.map(({ key }) => key)).size).toBe(6)
  expect(unknown.length).toBeGreaterThan(0)
  expect(unknown.length).toBeLessThan(30)
})

test('every stop of a walk is an existing location that an RFID antenna sees', () => {
  const covered = plan.readers
    .filter(({ key, model }) => model !== 'ble-gateway' && model !== 'minew-g1' && key !== GATE_READER)
    .flatMap(({ antennas }) => antennas.map(({ locationKey }) => locationKey))
  expect([...neighbours().keys()].toSorted()).toEqual([...new Set(covered)].toSorted())
})

test('assets go from one stop to a neighbouring one', () => {
  const walk = createWalk(plan.assets.filter(isWalking), seededRandom(3))
  const next = neighbours()
  const places = new Map(plan.assets.filter(isWalking).map((asset) => [asset.key, walk.whereIs(asset)]))
  for (let step = 0; step < 500; step += 1) {
    const asset = walk.step()
    expect(next.get(places.get(asset.key) ?? '')).toContain(walk.whereIs(asset))
    places.set(asset.key, walk.whereIs(asset))
  }
})

test('rounds take all items in turn, and urgent ones first, once', () => {
  const rounds = createRounds(['a', 'b', 'c'])
  rounds.hurry(['c'])
  expect(rounds.next(3)).toEqual(['c', 'a', 'b'])
  expect(rounds.next(4)).toEqual(['c', 'a', 'b', 'c'])
})

import { expect, test } from 'vitest'
import { fullness, heatOf } from './heat.ts'
import { longestHere } from '../longest.ts'
import { buildingOf, roomsOf } from '../rooms.ts'

const building = buildingOf([
  { id: 1, external_key: 'HALL', name: 'Hall', parent_id: null },
  { id: 2, external_key: 'DOCK-1', name: 'Dock 1', parent_id: 1 },
  { id: 3, external_key: 'DOCK-2', name: 'Dock 2', parent_id: 1 },
  { id: 4, external_key: 'YARD', name: 'Yard', parent_id: null },
])
const room = (id: number) => {
  const found = building.rooms.get(id)
  if (!found) throw new Error(`no room ${id}`)
  return found
}
const uses = new Map(
  [
    [2, 10, 36_000, 4],
    [3, 6, 3_600 * 1500, 6],
    [4, 1, 1_800, 2],
  ].map(([location_id = 0, arrivals = 0, dwell_seconds = 0, most_assets = 0]) => [
    location_id,
    { location_id, arrivals, dwell_seconds, most_assets },
  ]),
)

test('a room is as full as its week allows, and one with sub-locations as full as all of them', () => {
  const paint = fullness(uses)
  expect(paint(room(2), 1)).toEqual({ fill: 0.25 })
  expect(paint(room(1), 5)).toEqual({ fill: 0.5 })
  expect(paint(room(4), 3)).toEqual({ fill: 1 }) // more than ever
  expect(fullness(new Map())(room(4), 0)).toEqual({ fill: 0 })
})

test('heat sums sub-locations, in steps that double', () => {
  const shown = roomsOf(building, undefined)
  const { paint, steps, least, most } = heatOf('movements', uses, shown)
  expect(paint(room(1), 0)).toEqual({ fill: 1, text: '16', said: 'arrivals' })
  expect(paint(room(3), 0)).toEqual({ fill: 0.8, text: '6', said: 'arrivals' })
  expect(paint(room(4), 0)).toEqual({ fill: 0.2, text: '1', said: 'arrival' })
  expect(steps.map(({ upTo }) => upTo)).toEqual(['1', '2', '4', '8', '16'])
  expect([least, most]).toEqual(['1', '16'])
})

test('dwell is in hours, relative to the rooms of the picture', () => {
  const { paint, most } = heatOf('dwell', uses, roomsOf(building, room(4)))
  expect(paint(room(4), 0)).toEqual({ fill: 1, text: '0.5 h', said: 'of dwell' })
  expect(most).toBe('0.5 h')
  expect(heatOf('dwell', uses, roomsOf(building, room(1))).most).toBe(`${(1500).toLocaleString()} h`)
})

test('without movements there are no steps', () => {
  const { paint, steps } = heatOf('movements', new Map(), roomsOf(building, undefined))
  expect(paint(room(4), 0)).toEqual({ fill: 0, text: '0', said: 'arrivals' })
  expect(steps).toEqual([])
})

test('the longest stays are named only where they stand out', () => {
  const now = Date.parse('2026-11-25T12:00:00Z')
  const stays = (...hours: number[]) =>
    new Map(hours.map((h, id) => [id, { since: new Date(now - h * 3_600_000).toISOString() }]))
  const ids = (...hours: number[]) => longestHere(stays(...hours), now).map(({ id }) => id)
  expect(ids(1, 900, 3, 40, 2)).toEqual([1, 3])
  expect(ids(1, 2, 20)).toEqual([]) // less than a day
  expect(ids(100, 101, 102)).toEqual([]) // all alike
  expect(ids(...Array.from({ length: 20 }, (_, i) => (i < 7 ? 100 + i : 1)))).toEqual([6, 5, 4, 3, 2])
})

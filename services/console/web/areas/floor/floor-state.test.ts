import { expect, test } from 'vitest'
import { floorStateOf, totalsAfter } from './floor-state.ts'

const AT = '2026-11-26T12:00:00.000Z'

/** A hall with two bays, and a yard. Of nine assets, only the pump is among those seen last. */
const state = () =>
  floorStateOf({
    read_at: AT,
    locations: {
      id: [10, 40, 20, 30],
      external_key: ['HALL', 'YARD', 'BAY-1', 'BAY-2'],
      name: ['Hall', 'Yard', 'Bay 1', 'Bay 2'],
      parent: [-1, -1, 0, 0],
      here: [1, 3, 2, 3],
      inside: [6, 3, 2, 3],
    },
    assets: {
      id: [7, 8],
      external_key: ['PUMP', 'CART'],
      name: ['Pump', 'Cart'],
      type: ['asset', 'person'],
      location: [2, -1],
      since: [3600, 60].map((seconds) => Date.parse(AT) / 1000 - seconds),
      seen: [30, 0].map((seconds) => Date.parse(AT) / 1000 - seconds),
    },
    total_locations: 4,
    total_assets: 9,
  })

const move = (asset: number, from: number | null, to: number, at: string) => ({
  delivery_id: `${asset} ${at}`,
  occurred_at: at,
  asset: { id: asset, external_key: '', name: '' },
  from_location: from === null ? null : { id: from, name: '' },
  to_location: { id: to, name: '' },
})
const BEFORE = '2026-11-26T11:59:59.000Z'
const AFTER = '2026-11-26T12:00:05.000Z'

const totals = (...moves: ReturnType<typeof move>[]) => {
  const after = totalsAfter(state(), moves)
  return [10, 20, 30, 40].map((id) => after.get(id))
}

test('columns become rooms with their numbers, and assets with their place and times', () => {
  const { building, assets, places, stays, totals: counted, readAt } = state()
  expect(building.roots.map(({ name, children }) => [name, children.map((room) => room.name)])).toEqual([
    ['Hall', ['Bay 1', 'Bay 2']],
    ['Yard', []],
  ])
  expect(assets.get(8)).toEqual({ id: 8, external_key: 'CART', name: 'Cart', type: 'person' })
  expect([...places]).toEqual([[7, 20]])
  expect(stays.get(7)).toEqual({ since: '2026-11-26T11:00:00.000Z', seen: '2026-11-26T11:59:30.000Z' })
  expect(counted.get(10)).toBe(6)
  expect(readAt).toBe(Date.parse(AT))
})

test('a movement counts out of all rooms around the old place and into those around the new one', () => {
  expect(totals(move(7, 20, 40, AFTER))).toEqual([5, 1, 3, 4])
  expect(totals(move(7, 20, 30, AFTER), move(7, 30, 40, AFTER))).toEqual([5, 1, 3, 4])
  expect(totals(move(7, 20, 40, AFTER), move(7, 40, 20, AFTER))).toEqual([6, 2, 3, 3])
})

test('of an asset without a dot, a movement counts once, if it is later than the numbers', () => {
  expect(totals(move(99, 30, 40, BEFORE))).toEqual([6, 2, 3, 3])
  expect(totals(move(99, 30, 40, AFTER))).toEqual([5, 2, 2, 4])
  expect(totals(move(99, null, 40, AFTER))).toEqual([6, 2, 3, 4])
})

test('a movement that the numbers have already changes nothing', () => {
  expect(totals(move(7, 40, 20, BEFORE))).toEqual([6, 2, 3, 3])
  expect(totals(move(7, 20, 40, BEFORE), move(7, 40, 20, BEFORE))).toEqual([6, 2, 3, 3])
})

test('places outside of the picture count nowhere', () => {
  expect(totals(move(99, 404, 405, AFTER))).toEqual([6, 2, 3, 3])
})

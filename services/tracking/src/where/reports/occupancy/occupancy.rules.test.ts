import { expect, test } from 'vitest'
import { countInside } from './occupancy.rules.ts'

const tree = new Map([
  [1, [2, 3]],
  [2, [4]],
])
const held = new Map([1, 2, 3, 4].map((id) => [id, 10 ** id]))
const counted = (...ids: number[]) => {
  const inside = countInside(ids, (id) => tree.get(id) ?? [], held)
  return ids.map((id) => inside.get(id))
}

test('counts assets at a location and its sub-locations, in any order of ids', () => {
  expect(counted(1)).toEqual([11_110])
  expect(counted(1, 2, 3, 4)).toEqual([11_110, 10_100, 1_000, 10_000])
  expect(counted(4, 2, 1)).toEqual([10_000, 10_100, 11_110])
  expect(counted(3, 9)).toEqual([1_000, 0])
})

test('each location is visited once, also in a deep tree', () => {
  const DEEP = 100_000
  let walked = 0
  const childrenOf = (id: number) => {
    walked += 1
    return id < DEEP ? [id + 1] : []
  }
  const asked = [500, 1, 2, 3, 4]
  const inside = countInside(asked, childrenOf, new Map([[DEEP, 7]]))
  expect(asked.map((id) => inside.get(id))).toEqual([7, 7, 7, 7, 7])
  expect(walked).toBe(DEEP)
})

test('a circle ends', () => {
  const inside = countInside([1], (id) => [id === 1 ? 2 : 1], held)
  expect(inside.get(2)).toBeGreaterThan(0)
})

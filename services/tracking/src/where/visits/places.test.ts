import { expect, test } from 'vitest'
import { placesOf } from './places.ts'

/** 1 has 2, which has 3, which has 4; 5 is in 1. */
const children: Record<number, number[]> = { 1: [2, 5], 2: [3], 3: [4], 4: [1] }
const view = { childrenOf: (_: number, id: number) => children[id] ?? [] }
const placed = (named: number[] | undefined, isDeep: boolean) => {
  const { placeOf } = placesOf(view, 1, named, isDeep)
  return [1, 2, 3, 4, 5, 6].map(placeOf)
}

test('D21.4 the nearest named location counts, whatever the order of the names', () => {
  const none = undefined
  expect(placed(none, true)).toEqual([1, 2, 3, 4, 5, 6])
  expect(placed([1, 3], false)).toEqual([1, none, 3, none, none, none])
  expect(placed([1, 3], true)).toEqual([1, 1, 3, 3, 1, none])
  expect(placed([3, 1], true)).toEqual([1, 1, 3, 3, 1, none])
  expect(placed([4], true)).toEqual([4, 4, 4, 4, 4, none])
})

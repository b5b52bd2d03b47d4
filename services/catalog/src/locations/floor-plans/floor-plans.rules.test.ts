import { expect, test } from 'vitest'
import { isOnPlan } from './floor-plans.rules.ts'

const zone = (location_id: number) => ({ location_id, points: [] })
/** 1 › 2 › 3, and 4. */
const parents = new Map([[1, null], [2, 1], [3, 2], [4, null]]) // oxfmt-ignore
const shownOn = (place: number, of: ReadonlyMap<number, number | null> = parents) =>
  [3, 2, 1, 4, 5].filter((id) => isOnPlan(place, of)(zone(id)))

test('the plan of everything shows all live locations', () => expect(shownOn(0)).toEqual([3, 2, 1, 4]))

test('the plan of a location shows those below it, but not itself', () => {
  expect(shownOn(1)).toEqual([3, 2])
  expect(shownOn(2)).toEqual([3])
  expect(shownOn(3)).toEqual([])
})

test('one plan answers the same for each zone, in any order', () => {
  const isShown = isOnPlan(2, parents)
  expect([1, 3, 4, 2, 3, 1].map((id) => isShown(zone(id)))).toEqual([false, true, false, false, true, false])
})

test('a deep tree is walked once', () => {
  const deep = new Map(Array.from({ length: 200_000 }, (_, i) => [i + 1, i === 0 ? null : i]))
  const isShown = isOnPlan(1, deep)
  for (let id = 200_000; id > 195_000; id -= 1) expect(isShown(zone(id))).toBe(true)
})

import { expect, test } from 'vitest'
import { MAX_LEVELS, pathsAmong } from './paths.legacy.ts'

const ancestors = [
  { id: 1, external_key: 'SITE', parent_id: null },
  { id: 2, external_key: 'HALL', parent_id: 1 },
  { id: 3, external_key: 'ROW', parent_id: 2 },
]

test.for([
  { parent_id: null, place: { parent: undefined, path: 'BIN', depth: 1 } },
  { parent_id: 1, place: { parent: 'SITE', path: 'SITE.BIN', depth: 2 } },
  { parent_id: 3, place: { parent: 'ROW', path: 'SITE.HALL.ROW.BIN', depth: 4 } },
  { parent_id: 4, place: { parent: undefined, path: 'BIN', depth: 1 } },
])('D17.1 the path of a location with parent $parent_id is $place.path', ({ parent_id, place }) => {
  expect(pathsAmong(ancestors)({ external_key: 'BIN', parent_id })).toEqual(place)
})

/** A chain of `n` locations. */
const chain = (n: number) =>
  Array.from({ length: n }, (_, i) => ({
    id: i + 1,
    external_key: `L${i + 1}`,
    parent_id: i === 0 ? null : i,
  }))

test('D17.1 a path above the limit begins with an ellipsis', () => {
  const pathOf = pathsAmong(chain(MAX_LEVELS + 1))
  const whole = pathOf({ external_key: 'X', parent_id: MAX_LEVELS })
  expect(whole.path.split('.').slice(0, 2)).toEqual(['L1', 'L2'])
  const cut = pathOf({ external_key: 'X', parent_id: MAX_LEVELS + 1 })
  expect(cut.path.split('.').slice(0, 2)).toEqual(['…', 'L2'])
  expect([whole.depth, cut.depth]).toEqual([MAX_LEVELS + 1, MAX_LEVELS + 1])
})

test('a cycle, which should not exist, does not hang', () => {
  const cycle = [
    { id: 1, external_key: 'A', parent_id: 2 },
    { id: 2, external_key: 'B', parent_id: 1 },
  ]
  expect(pathsAmong(cycle)({ external_key: 'X', parent_id: 1 }).depth).toBe(MAX_LEVELS + 1)
})

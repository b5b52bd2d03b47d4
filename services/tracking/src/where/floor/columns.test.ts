import { expect, test } from 'vitest'
import { topDown } from './columns.ts'

const location = (id: number, parentId: number | null) => ({
  orgId: 1,
  id,
  revision: 1,
  key: `L-${id}`,
  name: `L ${id}`,
  deleted: false,
  parentId,
  validFromMs: 0,
  validToMs: Infinity,
})

test('upper levels come first and are kept where there are too many', () => {
  const all = [location(9, 4), location(4, 2), location(2, null), location(3, null), location(5, 3)]
  expect([...topDown(all, 10).keys()]).toEqual([2, 3, 4, 5, 9])
  expect([...topDown(all, 3).keys()]).toEqual([2, 3, 4])
})

test('a location whose parent is not there stands at the top, and a circle ends', () => {
  expect([...topDown([location(4, 2), location(5, 4)], 10).keys()]).toEqual([4, 5])
  expect([...topDown([location(1, 2), location(2, 1), location(3, null)], 10).keys()]).toEqual([3])
})

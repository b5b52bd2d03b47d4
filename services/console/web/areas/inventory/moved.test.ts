import { expect, test } from 'vitest'
import type { Match } from '../../parts/load/lookups.ts'
import { outcomeOf } from './moved.ts'

const asset = (id: number): Match => ({
  id,
  type: 'asset',
  name: `Asset ${id}`,
  external_key: `A-${id}`,
  tag: null,
})
const place = (id: number) => ({ id, key: `L-${id}`, name: `Location ${id}` })

test('separates moved assets, assets already there, and assets without a location before', () => {
  const earlier = new Map([
    [1, place(7)],
    [2, place(9)],
    [3, null],
  ])
  const { moved, stayed, first } = outcomeOf([1, 2, 3, 4].map(asset), earlier, 9)
  expect(moved).toEqual([{ asset: asset(1), from: place(7) }])
  expect(stayed.map((row) => row.asset.id)).toEqual([2])
  expect(first).toEqual([
    { asset: asset(3), from: null },
    { asset: asset(4), from: null },
  ])
})

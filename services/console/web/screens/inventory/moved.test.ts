import { describe, expect, test } from 'vitest'
import { batchesOf } from './batches.ts'
import { outcomeOf } from './moved.ts'

const at = (id: number, location: number | null) => ({
  id,
  location: location === null ? null : { id: location, key: `L-${location}` },
})

test('separates moved assets, assets already there, and assets without a location before', () => {
  const earlier = new Map([
    ['A', at(1, 7)],
    ['B', at(2, 9)],
    ['C', at(3, null)],
  ])
  const { moved, stayed, first } = outcomeOf(['A', 'B', 'C', 'D'], earlier, 9)
  expect(moved).toEqual([{ key: 'A', assetId: 1, from: { id: 7, key: 'L-7' } }])
  expect(stayed.map(({ key }) => key)).toEqual(['B'])
  expect(first).toEqual([
    { key: 'C', assetId: 3, from: null },
    { key: 'D', assetId: undefined, from: null },
  ])
})

describe('batches', () => {
  test('have at most 200 keys and lose none', () => {
    const keys = Array.from({ length: 450 }, (_, i) => `K-${i}`)
    const batches = batchesOf(keys)
    expect(batches.map(({ length }) => length)).toEqual([200, 200, 50])
    expect(batches.flat()).toEqual(keys)
  })

  test('keep the URL short if keys are long', () => {
    const keys = Array.from({ length: 60 }, (_, i) => `${i}`.padStart(255, 'K'))
    expect(
      Math.max(...batchesOf(keys).map((batch) => batch.join('&asset_external_key=').length)),
    ).toBeLessThan(6_001)
  })

  test('leave out keys that the API would refuse', () => {
    expect(batchesOf(['Ä', 'A', 'a b', 'K'.repeat(256)])).toEqual([['A']])
  })
})

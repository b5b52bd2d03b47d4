import { expect, test } from 'vitest'
import type { Match } from '../../parts/load/lookups.ts'
import type { Place } from './last-locations.ts'
import { backByLocation, undoneText } from './undone.ts'

const asset = (id: number): Match => ({
  type: 'asset',
  id,
  name: `A${id}`,
  external_key: `A-${id}`,
  tag: null,
})
const place = (id: number, key: string | null): Place => ({ id, key, name: null })
const [HALL, YARD, DOCK] = [place(1, 'HALL'), place(2, 'YARD'), place(9, 'DOCK')]

test('what is still where the save put it goes back, location by location', () => {
  const moved = [
    { asset: asset(1), from: HALL },
    { asset: asset(2), from: YARD },
    { asset: asset(3), from: HALL },
    { asset: asset(4), from: HALL }, // moved on meanwhile
    { asset: asset(5), from: HALL }, // is nowhere any more
    { asset: asset(6), from: place(3, null) }, // from a location that is deleted
  ]
  const now = new Map<number, Place | null>([
    [1, DOCK],
    [2, DOCK],
    [3, DOCK],
    [4, YARD],
    [5, null],
    [6, DOCK],
  ])
  const back = backByLocation(moved, now, DOCK.id)
  expect([...back].map(([key, rows]) => [key, rows.map((row) => row.asset.id)])).toEqual([
    ['HALL', [1, 3]],
    ['YARD', [2]],
  ])
})

test('what was undone is said, with what was left alone', () => {
  expect(undoneText({ back: 2, left: 0 })).toBe('2 assets are back where they were.')
  expect(undoneText({ back: 1, left: 2 })).toBe(
    '1 asset is back where it was. 2 assets that moved or were deleted meanwhile were left alone.',
  )
})

import { expect, test } from 'vitest'
import type { Point } from '../layout.ts'
import type { Zone } from '../plan-layout.ts'
import { addCorner, moveCorner, movePoint, moveZone, removeCorner, stretched, zoneOf } from './zone-edits.ts'

const rectangle = (id: number, x = 0, y = 0): Zone => zoneOf(id, { x, y, width: 1000, height: 500 })
const L_SHAPE: Point[] = [[0, 0], [4000, 0], [4000, 2000], [2000, 2000], [2000, 4000], [0, 4000]] // oxfmt-ignore
const SIZE = { width: 10_000, height: 6250 }

test('a zone moves as far as the plan reaches', () => {
  expect(moveZone(rectangle(1), -500, 99_999, 100, SIZE).points).toEqual(rectangle(1, 0, 5750).points)
})

test('a corner of a rectangle takes its neighbors along; a corner of another shape moves alone', () => {
  expect(moveCorner(rectangle(1), 2, [2000, 800]).points).toEqual(
    [[0, 0], [2000, 0], [2000, 800], [0, 800]], // oxfmt-ignore
  )
  const shape = { location_id: 1, points: L_SHAPE }
  const moved = moveCorner(shape, 3, [1500, 1500]).points
  expect(moved.filter((point, i) => point.join() !== L_SHAPE[i]?.join())).toEqual([[1500, 1500]])
  expect(moveCorner(rectangle(1), 2, [10, 800])).toEqual(rectangle(1)) // would be too narrow
})

test('corners are added in the middle of a side, and removed down to three', () => {
  const five = addCorner(rectangle(1), 3)
  expect(five.points[4]).toEqual([0, 250] satisfies Point)
  const three = [0, 0, 0, 0].reduce((zone, i) => removeCorner(zone, i), five)
  expect(three.points).toHaveLength(3)
})

test('a point moves on the grid, and stays on the plan', () => {
  expect(movePoint([140, 220], 30, 40, 100, SIZE)).toEqual([200, 300])
  expect(movePoint([140, 220], 0, 10, 10, SIZE)).toEqual([140, 230])
  expect(movePoint([140, 220], -500, 9_999, 100, SIZE)).toEqual([0, 6250])
})

test('what was arranged stays on a plan of another shape', () => {
  const tall = { width: 5000, height: 10_000 }
  expect(stretched([[0, 0], [10_000, 6250], [4000, 625]], SIZE, tall)).toEqual([[0, 0], [5000, 10_000], [2000, 1000]]) // oxfmt-ignore
})

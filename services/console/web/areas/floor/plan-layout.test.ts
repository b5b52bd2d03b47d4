import { expect, test } from 'vitest'
import {
  frameOf,
  isRectangle,
  isWithin,
  middleOf,
  planLayout,
  toScreen,
  unitsOf,
  type Zone,
} from './plan-layout.ts'
import { buildingOf } from './rooms.ts'
import { contentOf } from './places.ts'
import { readerSpots } from './readers/reader-spots.ts'
import { spotsOf } from './spots.ts'
import { zoneOf } from './later/zone-edits.ts'

const AREA = { x: 0, y: 0, width: 1000, height: 600 }
const row = (id: number, parent: number | null) => ({
  id,
  external_key: `K-${id}`,
  name: `Room ${id}`,
  parent_id: parent,
})
const rectangle = (id: number, x = 0, y = 0): Zone => zoneOf(id, { x, y, width: 1000, height: 500 })
const L_SHAPE: Zone['points'] = [
  [0, 0],
  [4000, 0],
  [4000, 2000],
  [2000, 2000],
  [2000, 4000],
  [0, 4000],
]

test('a plan keeps its proportions and lies at the top', () => {
  const { box, scale } = frameOf({ width: 4000, height: 1000 }, AREA)
  expect(box).toEqual({ x: 0, y: 0, width: 1000, height: 250 })
  expect(scale).toBe(0.1)
  expect(toScreen({ box, scale }, [10_000, 2500])).toEqual([1000, 250])
  expect(unitsOf({ width: 4000, height: 1000 })).toEqual({ width: 10_000, height: 2500 })
  expect(unitsOf(null)).toEqual({ width: 10_000, height: 6250 })
})

test('rooms with a zone lie there, the rooms around them are frames, and the others stand beside the plan', () => {
  const building = buildingOf([row(1, null), row(2, 1), row(3, 1), row(4, null), row(5, null)])
  const zones = [rectangle(2, 1000, 1000), rectangle(3, 4000, 3000), rectangle(4, 8000, 200), rectangle(99)]
  const { placed, frame, rest } = planLayout(building.roots, { image: null, zones }, building, AREA)
  expect(new Set(placed.map(({ room }) => room.id))).toEqual(new Set([1, 2, 3, 4, 5]))
  expect(rest.map(({ id }) => id)).toEqual([5])
  const boxOf = (id: number) => placed.find(({ room }) => room.id === id)?.box ?? AREA
  expect(boxOf(2).x).toBeCloseTo(frame.box.x + 1000 * frame.scale)
  expect(boxOf(5).x).toBeGreaterThanOrEqual(frame.box.x + frame.box.width)
  for (const inner of [2, 3]) {
    expect(boxOf(inner).x).toBeGreaterThan(boxOf(1).x)
    expect(boxOf(inner).y).toBeGreaterThan(boxOf(1).y)
  }
  const depth = new Map(placed.map(({ room }, i) => [room.id, i]))
  expect(depth.get(1)).toBeLessThan(depth.get(2) ?? 0)
})

test('zones of other places than the one that is shown are left out', () => {
  const building = buildingOf([row(1, null), row(2, 1), row(3, null), row(4, 3)])
  const shown = building.rooms.get(1)?.children ?? []
  const { placed } = planLayout(shown, { image: null, zones: [rectangle(2), rectangle(4)] }, building, AREA)
  expect(placed.map(({ room }) => room.id)).toEqual([2])
})

test('a zone that covers the name of the room around it begins below the name', () => {
  const building = buildingOf([row(1, null), row(2, 1)])
  const { placed } = planLayout(
    building.roots,
    { image: null, zones: [1, 2].map((id) => zoneOf(id, { x: 0, y: 0, width: 5000, height: 4000 })) },
    building,
    AREA,
  )
  const [outer, inner] = placed.map(({ box }) => box)
  expect(inner?.y).toBeGreaterThanOrEqual((outer?.y ?? 0) + 28)
  expect((inner?.y ?? 0) + (inner?.height ?? 0)).toBeCloseTo((outer?.y ?? 0) + (outer?.height ?? 0))
})

test('a zone beyond the picture is drawn whole, and the picture beside it', () => {
  const building = buildingOf([row(1, null), row(2, null)])
  const image = { width: 4000, height: 1000 } // 10 000 by 2 500 units
  const yard = zoneOf(2, { x: 0, y: 4000, width: 5000, height: 4000 })
  const { placed, frame } = planLayout(building.roots, { image, zones: [rectangle(1), yard] }, building, AREA)
  for (const { box } of placed) {
    expect(box.x).toBeGreaterThanOrEqual(AREA.x)
    expect(box.y + box.height).toBeLessThanOrEqual(AREA.y + AREA.height + 1e-6)
  }
  expect(frame.box.width / frame.box.height).toBeCloseTo(4, 2)
  const [, below] = placed
  expect(below?.box.y).toBeGreaterThan(frame.box.y + frame.box.height)
})

test('every asset of a room stands inside its outline, and none on its name', () => {
  const building = buildingOf([row(1, null)])
  const plan = { image: null, zones: [{ location_id: 1, points: L_SHAPE }] }
  const { placed } = planLayout(building.roots, plan, building, AREA)
  const assets = Array.from({ length: 20 }, (_, i) => [i * 7 + 3, 1] as const)
  const content = contentOf(placed, building.rooms, new Map(assets)).get(1)
  const outline = placed[0]?.outline ?? []
  const spots = [...spotsOf(content ? [content] : [])]
  expect(spots).toHaveLength(20)
  expect(spots.filter(([, { x, y }]) => !isWithin(outline, [x, y]))).toEqual([])
  expect(new Set(spots.map(([, { x, y }]) => `${x} ${y}`)).size).toBe(20)
})

test('rectangles are recognized in both directions; the middle of a shape lies in it', () => {
  expect(isRectangle(rectangle(1).points)).toBe(true)
  expect(isRectangle(rectangle(1).points.toReversed())).toBe(true)
  expect(isRectangle(L_SHAPE)).toBe(false)
  expect(isRectangle([[0, 0], [5, 0], [6, 5], [0, 5]])).toBe(false) // oxfmt-ignore
  expect(isWithin(L_SHAPE, middleOf(L_SHAPE))).toBe(true)
  expect(middleOf([[0, 0], [10, 0], [20, 0]])).toEqual([10, 0]) // oxfmt-ignore
})

test('a reader stands at its point, else at the edge of the room it watches', () => {
  const building = buildingOf([row(1, null), row(2, 1), row(3, null)])
  const plan = { image: null, zones: [rectangle(3)], readers: [{ reader_id: 7, x: 5000, y: 0 }] }
  const { placed, frame } = planLayout(building.roots, plan, building, AREA)
  const reader = (id: number, ...locations: number[]) => ({ id, name: `R${id}`, status: 'online', locations })
  const all = [reader(7), reader(8, 2), reader(9, 99), reader(10), reader(11, 2)]
  const spots = readerSpots({
    placed,
    building,
    plan,
    frame,
    readers: new Map(all.map((each) => [each.id, each])),
  })
  expect(spots.map(({ reader: { id } }) => id)).toEqual([7, 8, 11])
  expect(spots[0]?.at).toEqual(toScreen(frame, [5000, 0]))
  const { box } = placed.find(({ room }) => room.id === 1) ?? { box: AREA }
  for (const { at } of spots.slice(1)) {
    expect(at[0]).toBeGreaterThan(box.x)
    expect(at[1]).toBeCloseTo(box.y + box.height - 4)
  }
  expect(spots[1]?.at[0]).not.toBe(spots[2]?.at[0])
})

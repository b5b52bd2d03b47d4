import { expect, test } from 'vitest'
import { GLIDE_MS, isOver, spotAt } from './glide.ts'
import { layoutOf, type Box } from './layout.ts'
import { contentOf, placesAfter } from './places.ts'
import { buildingOf, pathTo } from './rooms.ts'
import { spotsOf } from './spots.ts'

const WINDOW = { x: 0, y: 0, width: 1200, height: 700 }
const row = (id: number, key: string, parent: number | null) => ({
  id,
  external_key: key,
  name: key,
  parent_id: parent,
})

/** A sequence that a seed decides. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Up to 400 locations, four deep. */
function anyRows(seed: number) {
  const next = random(seed)
  const count = 1 + Math.floor(next() * 400)
  const levels = new Map<number, number>()
  return Array.from({ length: count }, (_, i) => {
    const id = i + 1
    const parent = next() < 0.1 || i === 0 ? 0 : 1 + Math.floor(next() * i)
    const level = (levels.get(parent) ?? 0) + 1
    const isDeep = level > 4
    levels.set(id, isDeep ? 1 : level)
    return row(id, `K-${Math.floor(next() * 1000)}`, parent === 0 || isDeep ? null : parent)
  })
}

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width - 1e-6 &&
  b.x < a.x + a.width - 1e-6 &&
  a.y < b.y + b.height - 1e-6 &&
  b.y < a.y + a.height - 1e-6
const isInside = (a: Box, b: Box) =>
  a.x >= b.x - 1e-6 &&
  a.y >= b.y - 1e-6 &&
  a.x + a.width <= b.x + b.width + 1e-6 &&
  a.y + a.height <= b.y + b.height + 1e-6

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed + 1)

test.for(SEEDS)('rooms of any tree never overlap, and lie in the room around them (seed %i)', (seed) => {
  const { roots } = buildingOf(anyRows(seed))
  const placed = layoutOf(roots, WINDOW)
  for (const [i, { room, box }] of placed.entries()) {
    const around = placed.find((each) => each.room === room.parent)
    expect(isInside(box, around?.box ?? WINDOW)).toBe(true)
    const siblings = placed.slice(i + 1).filter((other) => other.room.parent === room.parent)
    for (const other of siblings) expect(overlap(box, other.box)).toBe(false)
  }
})

test.for(SEEDS)('the picture does not depend on the order of the rows (seed %i)', (seed) => {
  const rows = anyRows(seed)
  const next = random(seed)
  const shuffled = rows
    .map((each) => ({ each, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each)
  const boxes = (all: typeof rows) =>
    layoutOf(buildingOf(all).roots, WINDOW).map(({ room, box }) => [room.id, box])
  expect(boxes(shuffled)).toEqual(boxes(rows))
})

test.for(SEEDS)('a new location moves only rooms of its parent (seed %i)', (seed) => {
  const rows = anyRows(seed)
  const parent = rows[Math.floor(random(seed)() * rows.length)]?.id ?? 1
  const boxes = (all: typeof rows) =>
    new Map(layoutOf(buildingOf(all).roots, WINDOW).map(({ room, box }) => [room.id, { room, box }]))
  const [before, after] = [boxes(rows), boxes([...rows, row(9999, 'NEW', parent)])]
  const others = [...before].filter(
    ([id, { room }]) => after.has(id) && !pathTo(room.parent).some((each) => each.id === parent),
  )
  expect(others.length).toBeGreaterThan(0)
  expect(others.map(([id]) => after.get(id)?.box)).toEqual(others.map(([, { box }]) => box))
})

test('rooms stand by their keys, with numbers as numbers; a location with an unknown parent is a root', () => {
  const { roots } = buildingOf([row(1, 'B-10', null), row(2, 'B-9', null), row(3, 'A', 77)])
  expect(roots.map(({ key }) => key)).toEqual(['A', 'B-9', 'B-10'])
})

const HALLS = [
  row(1, 'HALL', null),
  row(2, 'BAY-1', 1),
  row(3, 'BAY-2', 1),
  row(4, 'SHELF', 3),
  row(5, 'YARD', null),
]

test('an asset counts in its room and in all rooms around it; a closed room has what is below it', () => {
  const { rooms, roots } = buildingOf(HALLS)
  const places = new Map([
    [10, 2],
    [11, 4],
    [12, 1],
    [13, 404],
  ])
  const contents = contentOf(layoutOf(roots, WINDOW), rooms, places)
  const shown = (id: number) => [contents.get(id)?.assets, contents.get(id)?.total]
  expect([1, 2, 3, 5].map(shown)).toEqual([
    [[12], 3],
    [[10], 1],
    [[11], 1],
    [[], 0],
  ])
  expect(contents.has(4)).toBe(false)
})

test('numbers of the server count what has no dot', () => {
  const { rooms, roots } = buildingOf(HALLS)
  const contents = contentOf(layoutOf(roots, WINDOW), rooms, new Map([[10, 2]]), new Map([[1, 900], [2, 400]])) // oxfmt-ignore
  expect([1, 2, 3].map((id) => contents.get(id)?.total)).toEqual([900, 400, 0])
  expect(contents.get(2)?.assets).toEqual([10])
})

test('the last of several movements decides, and an asset that had no place gets one', () => {
  const move = (asset: number, to: number) => ({ asset: { id: asset }, to_location: { id: to } })
  expect([...placesAfter(new Map([[1, 2]]), [move(1, 3), move(1, 4), move(9, 2)])]).toEqual([
    [1, 4],
    [9, 2],
  ])
})

const DRAWN = layoutOf(buildingOf(HALLS).roots, WINDOW)
const manyIds = (count: number, first = 4_503_599_627_370_497) =>
  Array.from({ length: count }, (_, i) => first + i * 3)

/** The dots of assets by room. */
const dotsOf = (assets: Record<number, readonly number[]>) => {
  const places = new Map(
    Object.entries(assets).flatMap(([room, ids]) => ids.map((id): [number, number] => [id, Number(room)])),
  )
  return spotsOf(contentOf(DRAWN, buildingOf(HALLS).rooms, places).values())
}
const YARD = DRAWN.find(({ room }) => room.id === 5)?.box ?? WINDOW

test('each dot stands in its room at a place of its own, which others do not change', () => {
  const ids = manyIds(200)
  const spots = dotsOf({ 5: ids })
  expect(spots.size).toBe(200)
  expect(new Set([...spots.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(200)
  for (const { x, y } of spots.values()) expect(isInside({ x, y, width: 0, height: 0 }, YARD)).toBe(true)
  const [first = 0] = ids
  expect(dotsOf({ 5: [first] }).get(first)).toEqual(spots.get(first))
})

test('the more dots, the smaller; each asset keeps one as long as the room has space', () => {
  const sizes = [10, 400, 800, 1_600, 3_200].map((count) => {
    const spots = dotsOf({ 5: manyIds(count) })
    expect(spots.size).toBe(count)
    expect(new Set([...spots.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(count)
    return new Set([...spots.values()].map(({ radius }) => radius))
  })
  expect(sizes.every((radii) => radii.size === 1)).toBe(true)
  const radii = sizes.map((each) => Math.max(...each))
  expect(radii).toEqual(radii.toSorted((a, b) => b - a))
  expect(radii.at(-1)).toBeLessThan(radii[0] ?? 0)
  expect(dotsOf({ 5: manyIds(20_000) }).size).toBeGreaterThan(1_000)
})

test('rooms of one parent have dots of one size', () => {
  const [few, many] = [manyIds(5), manyIds(1_500, 9_000_000)]
  const radiusOf = (id: number | undefined, spots: ReturnType<typeof dotsOf>) => spots.get(id ?? 0)?.radius
  const together = dotsOf({ 2: few, 3: many })
  expect(radiusOf(few[0], together)).toBe(radiusOf(many[0], together))
  expect(radiusOf(few[0], together)).toBeLessThan(radiusOf(few[0], dotsOf({ 2: few })) ?? 0)
})

test('assets at a room around others stand in its head, beside its number', () => {
  const hall = DRAWN.find(({ room }) => room.id === 1)?.box ?? WINDOW
  for (const count of [1, 20, 500])
    for (const { x, y } of dotsOf({ 1: manyIds(count) }).values()) {
      expect(x).toBeGreaterThan(hall.x + hall.width / 2)
      expect(x).toBeLessThan(hall.x + hall.width - 40)
      expect(y).toBeLessThan(hall.y + 28)
    }
})

test('a dot glides from where it was to where it is, and stops there', () => {
  const [from, to] = [
    { x: 0, y: 10 },
    { x: 100, y: 10 },
  ]
  const glide = { from, startedAt: 1000 }
  expect(spotAt(to, glide, 900)).toEqual(from)
  expect(spotAt(to, glide, 1000 + GLIDE_MS / 2)).toEqual({ x: 50, y: 10 })
  expect(spotAt(to, glide, 1000 + 2 * GLIDE_MS)).toEqual(to)
  expect([isOver(glide, 1000 + GLIDE_MS - 1), isOver(glide, 1000 + GLIDE_MS)]).toEqual([false, true])
})

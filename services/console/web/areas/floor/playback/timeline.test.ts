import { expect, test } from 'vitest'
import { Timeline } from './timeline.ts'

const FROM = Date.parse('2026-11-25T08:00:00.000Z')
const at = (seconds: number) => FROM + seconds * 1000

/** Asset 11 and 12 among locations 1 to 3; `moves` are [second, asset, location]. */
function timelineOf(
  moves: readonly (readonly [number, number, number])[],
  start: Record<number, number> = {},
) {
  const [assets, locations] = [
    [11, 12],
    [1, 2, 3],
  ]
  const index = (all: readonly number[], one: number) => all.indexOf(one)
  return new Timeline({
    from: new Date(FROM).toISOString(),
    to: new Date(at(100_000)).toISOString(),
    assets,
    types: ['person', 'asset'],
    locations,
    start: {
      asset: Object.keys(start).map((asset) => index(assets, Number(asset))),
      location: Object.values(start).map((location) => index(locations, location)),
    },
    moves: {
      seconds: moves.map(([second], i) => second - (moves[i - 1]?.[0] ?? 0)),
      asset: moves.map(([, asset]) => index(assets, asset)),
      location: moves.map(([, , location]) => index(locations, location)),
    },
    is_cut: false,
  })
}

test('the state of an instant has all movements until then, and none later', () => {
  const timeline = timelineOf([[10, 11, 2], [20, 12, 3], [20, 11, 3]], { 11: 1 })
  const state = (seconds: number) => Object.fromEntries(timeline.placesAt(at(seconds)))
  expect([-5, 9, 10, 19, 20, 500].map(state)).toEqual([
    { 11: 1 }, { 11: 1 }, { 11: 2 }, { 11: 2 }, { 11: 3, 12: 3 }, { 11: 3, 12: 3 },
  ])
}) // oxfmt-ignore

test('a jump to any instant shows the same as playing until then, also across snapshots', () => {
  const moves = Array.from({ length: 3_500 }, (_, i) => [i * 7, 11 + (i % 2), 1 + ((i * 13) % 3)] as const)
  const timeline = timelineOf(moves)
  const played = new Map<number, number>()
  let next = 0
  for (let second = 0; second < 25_000; second += 61) {
    for (; next < moves.length && (moves[next]?.[0] ?? 0) <= second; next += 1)
      played.set(moves[next]?.[1] ?? 0, moves[next]?.[2] ?? 0)
    expect(timeline.placesAt(at(second))).toEqual(played)
  }
  expect(next).toBe(moves.length)
})

test('each asset has its type', () => {
  expect([...timelineOf([]).types()]).toEqual([
    [11, 'person'],
    [12, 'asset'],
  ])
})

test('the next movement is found, and the parts of the time are counted', () => {
  const timeline = timelineOf([[10, 11, 2], [60_000, 12, 3], [99_999, 12, 1]])
  expect([0, 10, 60_000, 99_999].map((seconds) => timeline.nextAfter(at(seconds)))).toEqual([
    at(10), at(60_000), at(99_999), undefined,
  ])
  expect(timeline.histogram(4)).toEqual([1, 0, 1, 1])
  expect([timeline.moves, timeline.fromMs, timeline.toMs]).toEqual([3, FROM, at(100_000)])
}) // oxfmt-ignore

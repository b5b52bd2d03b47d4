import { boundsOf, isRectangle, UNITS, type Zone } from '../plan-layout.ts'
import type { Box, Point } from '../layout.ts'

type Size = { width: number; height: number }

/** Corners snap to this grid, in units of the plan. */
export const GRID = 100
const MOST_POINTS = 100
const LEAST_POINTS = 3

const within = (value: number, most: number) => Math.round(Math.min(most, Math.max(0, value)))

/** The point moved, on the grid, as far as the plan reaches. */
export const movePoint = (
  [x, y]: Point,
  dx: number,
  dy: number,
  grid: number,
  { width, height }: Size,
): Point => [within(snap(x + dx, grid), width), within(snap(y + dy, grid), height)]

const snap = (value: number, grid: number) => Math.round(value / grid) * grid

/** The zone moved, with its upper left corner on the grid, as far as the plan reaches. */
export function moveZone(zone: Zone, dx: number, dy: number, grid: number, { width, height }: Size): Zone {
  const box = boundsOf(zone.points)
  const x = within(snap(box.x + dx, grid), width - box.width) - box.x
  const y = within(snap(box.y + dy, grid), height - box.height) - box.y
  return { ...zone, points: zone.points.map(([px, py]): Point => [px + x, py + y]) }
}

/** The zone with one corner elsewhere. A rectangle stays one: the corners next to it follow. */
export function moveCorner(zone: Zone, index: number, to: Point): Zone {
  const old = zone.points[index]
  if (!old) return zone
  const isBox = isRectangle(zone.points)
  const points = zone.points.map(([px, py], i): Point => {
    if (i === index) return to
    return isBox ? [px === old[0] ? to[0] : px, py === old[1] ? to[1] : py] : [px, py]
  })
  const { width, height } = boundsOf(points)
  return width < GRID || height < GRID ? zone : { ...zone, points }
}

/** A new corner in the middle of the side that begins at `index`. */
export function addCorner(zone: Zone, index: number): Zone {
  const [from, to] = [zone.points[index], zone.points[(index + 1) % zone.points.length]]
  if (!from || !to || zone.points.length >= MOST_POINTS) return zone
  const middle: Point = [Math.round((from[0] + to[0]) / 2), Math.round((from[1] + to[1]) / 2)]
  return { ...zone, points: zone.points.toSpliced(index + 1, 0, middle) }
}

export const removeCorner = (zone: Zone, index: number): Zone =>
  zone.points.length <= LEAST_POINTS ? zone : { ...zone, points: zone.points.toSpliced(index, 1) }

/** A rectangle, in units. */
export function zoneOf(locationId: number, { x, y, width, height }: Box): Zone {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map((value) => within(value, UNITS))
  const [a = 0, b = 0, c = 0, d = 0] = [left, top, right, bottom]
  return {
    location_id: locationId,
    points: [
      [a, b],
      [c, b],
      [c, d],
      [a, d],
    ],
  }
}

/** The points of a plan of another shape: what was at its lower end stays there. */
export const stretched = (points: readonly Point[], from: Size, to: Size): Point[] =>
  points.map(([x, y]) => [
    within((x * to.width) / from.width, to.width),
    within((y * to.height) / from.height, to.height),
  ])

import type { Room } from './rooms.ts'

/** In pixels. */
export type Box = { x: number; y: number; width: number; height: number }

export type Point = readonly [x: number, y: number]

/** A room on the picture. `isOpen`: its sub-locations are drawn inside of it. `outline`: its corners, unless it is a rectangle. */
export type PlacedRoom = { room: Room; box: Box; isOpen: boolean; outline?: readonly Point[] }

export const GAP = 8
/** The name and the number of an open room. */
export const HEAD = 28
/** A room below this size shows its sub-locations as one number. */
const LEAST = { width: 84, height: 56 }
const MOST_LEVELS = 2

/**
 * Where rooms lie. Rooms with the same parent are equally large, in rows, by their keys: so a new location moves nothing
 * outside of its parent, and people learn the picture. Rooms inside come after those around them.
 */
export function layoutOf(rooms: readonly Room[], box: Box, above = 0): PlacedRoom[] {
  return gridOf(rooms.length, box).flatMap((cell, i) => {
    const room = rooms[i]
    if (!room) return []
    const inside = insideOf(cell)
    const level = rooms.length === 1 ? above : above + 1 // a room alone is only a frame
    const isOpen = level < MOST_LEVELS && room.children.length > 0 && fits(room.children.length, inside)
    const placed = { room, box: cell, isOpen }
    return isOpen ? [placed].concat(layoutOf(room.children, inside, level)) : [placed]
  })
}

const fits = (count: number, box: Box) =>
  gridOf(count, box).every(({ width, height }) => width >= LEAST.width && height >= LEAST.height)

export const insideOf = ({ x, y, width, height }: Box): Box => ({
  x: x + GAP,
  y: y + HEAD,
  width: width - 2 * GAP,
  height: height - HEAD - GAP,
})

/** How many times as wide as high a room should be. */
const ASPECT = 1.6

/** Cells in rows, each row as wide as the box. The last row may have fewer and wider cells. */
function gridOf(count: number, { x, y, width, height }: Box): Box[] {
  const columns = columnsOf(count, width, height)
  const rows = Math.ceil(count / columns)
  const cellHeight = (height - (rows - 1) * GAP) / rows
  return Array.from({ length: count }, (_, i) => {
    const row = Math.floor(i / columns)
    const inRow = row === rows - 1 ? count - row * columns : columns
    const cellWidth = (width - (inRow - 1) * GAP) / inRow
    return {
      x: x + (i - row * columns) * (cellWidth + GAP),
      y: y + row * (cellHeight + GAP),
      width: cellWidth,
      height: cellHeight,
    }
  })
}

/** The number of columns whose cells are nearest to the aspect, counted in powers: twice as wide is as bad as half. */
function columnsOf(count: number, width: number, height: number): number {
  let best = 1
  let least = Number.POSITIVE_INFINITY
  for (let columns = 1; columns <= count; columns += 1) {
    const aspect = width / columns / (height / Math.ceil(count / columns))
    const off = Math.abs(Math.log(aspect / ASPECT))
    if (off >= least) continue
    best = columns
    least = off
  }
  return best
}

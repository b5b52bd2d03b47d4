import type { PlacedRoom, Point } from '../layout.ts'
import { type Building, pathTo, type Room } from '../rooms.ts'

/** The things of a drawn room that are to be marked. `locations`: where they are, the room itself or what is below it. */
export type Spot<T> = {
  room: Room
  things: readonly T[]
  locations: readonly number[]
  at: Point
}

type Corner = 'left' | 'right'
/** From the corner of a room, in pixels. */
const INSET = 14

/**
 * The rooms of the picture with such things, each marked at a lower corner. A thing counts in the smallest room that is drawn
 * around its location, and nowhere if none is.
 */
export function spotsOf<T>(
  things: readonly T[],
  locationOf: (thing: T) => number | null,
  placed: readonly PlacedRoom[],
  { rooms }: Building,
  corner: Corner = 'left',
): Spot<T>[] {
  const drawn = new Map(placed.map((each) => [each.room.id, each]))
  const nearest = (thing: T) =>
    drawn.get(pathTo(rooms.get(locationOf(thing) ?? 0)).findLast(({ id }) => drawn.has(id))?.id ?? 0)
  return [...Map.groupBy(things, nearest)].flatMap(([place, found]) => {
    if (!place) return []
    const { x, y, width, height } = place.box
    return [
      {
        room: place.room,
        things: found,
        locations: [...new Set(found.map((thing) => locationOf(thing) ?? 0))],
        at: [corner === 'left' ? x + INSET : x + width - INSET, y + height - INSET] as const,
      },
    ]
  })
}

import { type KnownSeverity, worstOf } from '../../../parts/alerts/alert-text.ts'
import type { PlacedRoom, Point } from '../layout.ts'
import { type Building, pathTo, type Room } from '../rooms.ts'

type OpenAlert = { rule: { severity: string }; location: { id: number } | null }

/** The open alerts of a drawn room. `locations`: where they are, the room itself or what is below it. */
export type AlertSpot = {
  room: Room
  count: number
  worst: KnownSeverity | undefined
  locations: readonly number[]
  at: Point
}

/** From the corner of a room, in pixels. */
const INSET = 14

/**
 * The rooms of the picture with open alerts, each marked at its lower left corner. An alert counts in the smallest room that
 * is drawn around its location, and nowhere if none is.
 */
export function alertSpots(
  alerts: readonly OpenAlert[],
  placed: readonly PlacedRoom[],
  { rooms }: Building,
): AlertSpot[] {
  const drawn = new Map(placed.map((each) => [each.room.id, each]))
  const nearest = ({ location }: OpenAlert) =>
    drawn.get(pathTo(rooms.get(location?.id ?? 0)).findLast(({ id }) => drawn.has(id))?.id ?? 0)
  return [...Map.groupBy(alerts, nearest)].flatMap(([place, found]) => {
    if (!place) return []
    const { x, y, height } = place.box
    return [
      {
        room: place.room,
        count: found.length,
        worst: worstOf(found),
        locations: [...new Set(found.map(({ location }) => location?.id ?? 0))],
        at: [x + INSET, y + height - INSET] as const,
      },
    ]
  })
}

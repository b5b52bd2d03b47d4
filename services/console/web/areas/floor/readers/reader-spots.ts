import type { PlacedRoom, Point } from '../layout.ts'
import { type Frame, toScreen } from '../plan-layout.ts'
import { type Building, pathTo } from '../rooms.ts'
import type { FloorReader } from './use-floor-readers.ts'
import type { FloorPlanData } from '../use-plans.ts'

type Scene = {
  placed: readonly PlacedRoom[]
  building: Building
  plan: Pick<FloorPlanData, 'readers'> | undefined
  frame: Frame | undefined
  readers: ReadonlyMap<number, FloorReader>
}

/** Pixels from one reader to the next at the same edge. */
const STEP = 26

/**
 * Where each reader stands: at its point of the plan, else at the lower edge of the first room that it watches and that is
 * drawn. One that watches nothing on the picture is left out.
 */
export function readerSpots({
  placed,
  building,
  plan,
  frame,
  readers,
}: Scene): { reader: FloorReader; at: Point }[] {
  const points = new Map(plan?.readers.map(({ reader_id, x, y }) => [reader_id, [x, y] as const]))
  const drawn = new Map(placed.map((each) => [each.room, each]))
  const atEdge = new Map<PlacedRoom, number>()
  return [...readers.values()].flatMap((reader) => {
    const point = points.get(reader.id)
    if (point && frame) return [{ reader, at: toScreen(frame, point) }]
    const watched = reader.locations.flatMap((id) => pathTo(building.rooms.get(id)).toReversed())
    const room = watched.map((each) => drawn.get(each)).find((each) => each !== undefined)
    if (!room) return []
    const before = atEdge.get(room) ?? 0
    atEdge.set(room, before + 1)
    const { x, y, width, height } = room.box
    return [{ reader, at: [x + width - STEP * (before + 0.75), y + height - 4] as const }]
  })
}

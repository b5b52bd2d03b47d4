import { type Box, GAP, HEAD, layoutOf, type PlacedRoom, type Point } from './layout.ts'
import { type Building, pathTo, type Room } from './rooms.ts'

/** The longer side of a plan, in its own units. */
export const UNITS = 10_000
/** The sides of a plan without an image. */
const EMPTY = { width: 16, height: 10 }

type Size = { width: number; height: number }
export type Zone = { location_id: number; points: Point[] }
export type ZonedPlan = { image: Size | null; zones: readonly Zone[] }

/** Where a plan lies on the screen, and the pixels of one unit. */
export type Frame = { box: Box; scale: number }

/**
 * The largest frame of the plan's proportions at the top of `area`, in the middle. With `zones`, it leaves space for those
 * that reach beyond a picture that was exchanged for one of another shape.
 */
export function frameOf(image: Size | null, area: Box, zones: readonly Zone[] = []): Frame {
  const plan = unitsOf(image)
  const corners = zones.flatMap(({ points }) => points)
  const width = Math.max(plan.width, ...corners.map(([x]) => x))
  const height = Math.max(plan.height, ...corners.map(([, y]) => y))
  const scale = Math.min(area.width / width, area.height / height)
  const box = {
    x: area.x + (area.width - width * scale) / 2,
    y: area.y,
    width: plan.width * scale,
    height: plan.height * scale,
  }
  return { box, scale }
}

/** The height and width of a plan in units. */
export function unitsOf(image: Size | null): Size {
  const { width, height } = image ?? EMPTY
  const longer = Math.max(width, height)
  return { width: Math.round((width / longer) * UNITS), height: Math.round((height / longer) * UNITS) }
}

export const toScreen = ({ box, scale }: Frame, [x, y]: Point): Point => [
  box.x + x * scale,
  box.y + y * scale,
]

export type PlanLayout = { frame: Frame; placed: readonly PlacedRoom[]; rest: readonly Room[] }

/** Rooms without a zone stand beside the plan, in this share of the width. */
const REST = { share: 0.16, least: 96, most: 180 }

/**
 * The rooms of a plan: those with a zone at their zones; a room around zones, without one of its own, as a frame around
 * them; and the others (`rest`) in a column on the right. Rooms inside come after those around them.
 */
export function planLayout(
  shown: readonly Room[],
  { image, zones }: ZonedPlan,
  { rooms }: Building,
  area: Box,
): PlanLayout {
  const drawn = zones.filter(({ location_id: id }) =>
    pathTo(rooms.get(id)).some((around) => shown.includes(around)),
  )
  const zoned = new Map(
    drawn.flatMap(({ location_id: id, points }): [Room, readonly Point[]][] => {
      const room = rooms.get(id)
      return room ? [[room, points]] : []
    }),
  )
  const parents = new Set([...zoned.keys()].flatMap((room) => pathTo(room.parent)))
  const rest = shown.filter((room) => !zoned.has(room) && !parents.has(room))
  const width = rest.length === 0 ? 0 : clamp(area.width * REST.share, REST.least, REST.most)
  const beside = { ...area, width: Math.max(0, area.width - width - (width && GAP)) }
  const frame = frameOf(image, beside, drawn)
  const placed = new Map<Room, PlacedRoom>()
  for (const [room, points] of zoned) placed.set(room, zoneOn(frame, room, points, parents.has(room)))
  for (const [room, each] of placed) placed.set(room, belowHead(each, nearest(placed, room.parent)))
  const around = [...parents].filter(
    (room) => !zoned.has(room) && pathTo(room).some((r) => shown.includes(r)),
  )
  for (const room of around.toSorted((a, b) => pathTo(b).length - pathTo(a).length)) {
    const inside = [...placed.values()].filter((each) => each.room.parent === room)
    placed.set(room, { room, box: boxAround(inside.map(({ box }) => box)), isOpen: true })
  }
  const column = { x: area.x + area.width - width, y: area.y, width, height: area.height }
  const listed = layoutOf(rest, column, Number.POSITIVE_INFINITY)
  const inOrder = [...placed.values()].toSorted((a, b) => pathTo(a.room).length - pathTo(b.room).length)
  return { frame, placed: [...inOrder, ...listed], rest }
}

function zoneOn(frame: Frame, room: Room, points: readonly Point[], isOpen: boolean): PlacedRoom {
  const corners = points.map((point) => toScreen(frame, point))
  const box = boundsOf(corners)
  return isRectangle(points) ? { room, box, isOpen } : { room, box, isOpen, outline: corners }
}

/** The placed room, or the nearest placed one around it. */
const nearest = (placed: ReadonlyMap<Room, PlacedRoom>, room: Room | undefined): PlacedRoom | undefined =>
  room && (placed.get(room) ?? nearest(placed, room.parent))

/** What a rectangle keeps at least of its height. */
const LEAST_HEIGHT = 2 * HEAD

/** A rectangle that covers the name of the room around it, and what stands beside the name, begins below them. */
function belowHead(each: PlacedRoom, around: PlacedRoom | undefined): PlacedRoom {
  const { box, outline } = each
  const covered = around ? around.box.y + HEAD - box.y : 0
  if (outline || around?.outline || covered <= 0 || box.height - covered < LEAST_HEIGHT) return each
  return { ...each, box: { ...box, y: box.y + covered, height: box.height - covered } }
}

export function boundsOf(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** With a margin, and a head for the name. */
function boxAround(boxes: readonly Box[]): Box {
  const inner = boundsOf(
    boxes.flatMap(({ x, y, width, height }): Point[] => [
      [x, y],
      [x + width, y + height],
    ]),
  )
  return {
    x: inner.x - GAP,
    y: inner.y - HEAD,
    width: inner.width + 2 * GAP,
    height: inner.height + HEAD + GAP,
  }
}

/** Whether these are the four corners, in order, of a rectangle whose sides are level. */
export function isRectangle(points: readonly Point[]): boolean {
  const [a, b, c, d] = points
  if (!a || !b || !c || !d || points.length > 4) return false
  const isLevel = a[1] === b[1] && b[0] === c[0] && c[1] === d[1] && d[0] === a[0]
  const isUpright = a[0] === b[0] && b[1] === c[1] && c[0] === d[0] && d[1] === a[1]
  return isLevel || isUpright
}

/** The middle of its area; of its corners if it has none. */
export function middleOf(outline: readonly Point[]): Point {
  let [area, x, y] = [0, 0, 0]
  for (const [i, [ax, ay]] of outline.entries()) {
    const [bx, by] = outline[(i + 1) % outline.length] ?? [ax, ay]
    const cross = ax * by - bx * ay
    area += cross
    x += (ax + bx) * cross
    y += (ay + by) * cross
  }
  const middle: Point = [x / (3 * area), y / (3 * area)]
  if (Number.isFinite(middle[0]) && Number.isFinite(middle[1]) && isWithin(outline, middle)) return middle
  const sum = (axis: 0 | 1) => outline.reduce((total, point) => total + point[axis], 0)
  return [sum(0) / outline.length, sum(1) / outline.length]
}

/** Whether a line from the point to the right meets the outline an odd number of times. */
export function isWithin(outline: readonly Point[], [x, y]: Point): boolean {
  let isInside = false
  for (const [i, [ax, ay]] of outline.entries()) {
    const [bx, by] = outline[(i + 1) % outline.length] ?? [ax, ay]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside
  }
  return isInside
}

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

import { type Box, insideOf, type PlacedRoom } from './layout.ts'
import { isWithin, middleOf } from './plan-layout.ts'
import type { Content } from './places.ts'

export type Spot = { x: number; y: number }

/** Where a dot stands and how large it is, in pixels. */
export type SizedSpot = Spot & { radius: number }

/** Primes, so that ids that differ by a constant do not share spots. Each is about 1.3 times the one before. */
const SPOTS = [
  37, 53, 71, 97, 127, 163, 211, 277, 359, 467, 607, 787, 1021, 1327, 1723, 2239, 2909, 3779, 4909, 6379,
] as const
/** Radii of dots. The more there are in a room, the smaller they are. */
const RADII = [4, 3, 2, 1.5, 1] as const
/** Beside a dot, in pixels. */
const SPACE = 2
/** Square pixels for a spot, out of the square of a dot with its space. The rest stays free. */
const LOOSE = 1.04
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))

/**
 * Where the dot of each asset stands, for all rooms of a picture. The spot follows from the id, so that an asset stands at
 * the same spot for everybody. Two that want one spot share it out by id. Rooms of one parent have dots of one size, so that
 * they can be compared. Where even the smallest do not fit, some assets have none, and the number of the room is the truth.
 */
export function spotsOf(contents: Iterable<Content>): ReadonlyMap<number, SizedSpot> {
  const spots = new Map<number, SizedSpot>()
  const siblings = Map.groupBy(contents, ({ placed }) => placed.room.parent)
  for (const rooms of siblings.values()) {
    const level = Math.max(...rooms.map(levelOf))
    for (const content of rooms) place(content, RADII[level] ?? RADII[0], spots)
  }
  return spots
}

/** The index of the largest radius with which half of the spots stay free. */
function levelOf({ assets, placed }: Content): number {
  if (placed.isOpen) return 0 // its own dots are few, in its head
  const spotsFor = (radius: number) =>
    placed.outline ? spotsIn(placed, radius).length : countIn(placed, radius)
  const fits = RADII.findIndex((radius) => assets.length <= spotsFor(radius) / 2)
  return fits === -1 ? RADII.length - 1 : fits
}

function place({ assets, placed }: Content, radius: number, spots: Map<number, SizedSpot>): void {
  if (placed.isOpen) return placeInHead(assets, placed.box, spots)
  const free = spotsIn(placed, radius)
  const taken = new Set<number>()
  for (const id of assets.slice(0, free.length)) {
    let spot = id % free.length
    while (taken.has(spot)) spot = (spot + 1) % free.length
    taken.add(spot)
    const { x, y } = free[spot] ?? placed.box
    spots.set(id, { x, y, radius })
  }
}

/** Half of the name in the middle of a room that is not a rectangle. */
const NAME = { width: 60, height: 16 }

/** How many spots for a dot of this radius the box of a room has. */
function countIn({ box, outline }: PlacedRoom, radius: number): number {
  const { width, height } = outline ? box : insideOf(box)
  const room = (Math.max(0, width) * Math.max(0, height)) / ((2 * (radius + SPACE)) ** 2 * LOOSE)
  return SPOTS.findLast((spots) => spots <= room) ?? SPOTS[0]
}

/** Where a dot of this radius may stand. */
function spotsIn(placed: PlacedRoom, radius: number): readonly Spot[] {
  const { box, outline } = placed
  const count = countIn(placed, radius)
  const inside = outline ? box : insideOf(box)
  const all = Array.from({ length: count }, (_, seed) =>
    sunflower((seed + 0.5) / count, seed, inside, radius + SPACE),
  )
  if (!outline) return all
  const [nameX, nameY] = middleOf(outline)
  return all.filter(
    ({ x, y }) =>
      isWithin(outline, [x, y]) && (Math.abs(x - nameX) > NAME.width || Math.abs(y - nameY) > NAME.height),
  )
}

/** Seeds of a sunflower are spread evenly; here stretched to the room. `share`: how many of the seeds are closer to the center. */
function sunflower(share: number, seed: number, { x, y, width, height }: Box, reach: number): Spot {
  const distance = Math.sqrt(share)
  const angle = seed * GOLDEN_ANGLE
  return {
    x: x + width / 2 + distance * Math.cos(angle) * Math.max(0, width / 2 - reach),
    y: y + height / 2 + distance * Math.sin(angle) * Math.max(0, height / 2 - reach),
  }
}

/** For the number of an open room, at the right end of its head. */
const NUMBER_WIDTH = 48
/** For its name, out of the width. */
const NAME_SHARE = 0.5

/** Assets at an open room itself stand in its head, between its name and its number. */
function placeInHead(assets: readonly number[], { x, y, width }: Box, spots: Map<number, SizedSpot>): void {
  const strip = width * (1 - NAME_SHARE) - NUMBER_WIDTH
  const most = (radius: number) => Math.max(0, Math.floor(strip / (2 * (radius + SPACE))))
  const radius = RADII.find((each) => assets.length <= most(each)) ?? RADII.at(-1) ?? 1
  const step = 2 * (radius + SPACE)
  for (const [i, id] of assets.slice(0, most(radius)).entries())
    spots.set(id, { x: x + width - NUMBER_WIDTH - step * (i + 0.5), y: y + 14, radius })
}

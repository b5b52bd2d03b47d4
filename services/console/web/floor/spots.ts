import { type Box, insideOf, type PlacedRoom } from './layout.ts'
import { isWithin, middleOf } from './plan-layout.ts'
import type { Content } from './places.ts'

export type Spot = { x: number; y: number }

/** Primes, so that ids that differ by a constant do not share spots. */
const SPOTS = [37, 53, 71, 97, 127, 163, 211, 277, 401] as const
/** Square pixels for a spot: a dot with the space around it. */
const AREA = 150
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))
/** Half the width of a dot and of the space around it. */
const REACH = 6

/**
 * Where the dot of each asset stands. The spot follows from the id, so that an asset stands at the same spot for everybody.
 * Two that want one spot share it out by id. Empty for a room with too many: they are a number.
 */
export function spotsOf({ assets, placed }: Content): ReadonlyMap<number, Spot> {
  if (placed.isOpen) return rowOf(assets, placed.box)
  const free = spotsIn(placed)
  if (assets.length > free.length / 2) return new Map()
  const spots = new Map<number, Spot>()
  const taken = new Set<number>()
  for (const id of assets) {
    let spot = id % free.length
    while (taken.has(spot)) spot = (spot + 1) % free.length
    taken.add(spot)
    const { x, y } = free[spot] ?? placed.box
    spots.set(id, { x, y })
  }
  return spots
}

/** Half of the name in the middle of a room that is not a rectangle. */
const NAME = { width: 60, height: 16 }

/** Where a dot may stand. */
function spotsIn({ box, outline }: PlacedRoom): readonly Spot[] {
  const inside = outline ? box : insideOf(box)
  const room = (inside.width * inside.height) / AREA
  const count = SPOTS.findLast((spots) => spots <= room) ?? SPOTS[0]
  const all = Array.from({ length: count }, (_, seed) => sunflower((seed + 0.5) / count, seed, inside))
  if (!outline) return all
  const [nameX, nameY] = middleOf(outline)
  return all.filter(
    ({ x, y }) =>
      isWithin(outline, [x, y]) && (Math.abs(x - nameX) > NAME.width || Math.abs(y - nameY) > NAME.height),
  )
}

/** Seeds of a sunflower are spread evenly; here stretched to the room. `share`: how many of the seeds are closer to the center. */
function sunflower(share: number, seed: number, { x, y, width, height }: Box): Spot {
  const radius = Math.sqrt(share)
  const angle = seed * GOLDEN_ANGLE
  return {
    x: x + width / 2 + radius * Math.cos(angle) * Math.max(0, width / 2 - REACH),
    y: y + height / 2 + radius * Math.sin(angle) * Math.max(0, height / 2 - REACH),
  }
}

/** Assets at an open room itself stand in its head, from the right. */
function rowOf(assets: readonly number[], { x, y, width }: Box): ReadonlyMap<number, Spot> {
  const most = Math.floor(width / 2 / (2 * REACH))
  if (assets.length > most) return new Map()
  return new Map(assets.map((id, i) => [id, { x: x + width - 2 * REACH * (i + 1), y: y + 14 }]))
}

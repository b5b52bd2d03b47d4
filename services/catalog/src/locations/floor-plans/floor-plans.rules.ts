import type { Zone } from '@whereabouts/contracts/resources/catalog/floor-plans'

/** Live location → its parent, null for a root. Has all ancestors of each location that it has. */
export type LiveParents = ReadonlyMap<number, number | null>

/**
 * Whether a plan shows a zone: its location must be live and below the place of the plan (0: anywhere). Walks to each
 * ancestor once, because a tree may be thousands of levels deep.
 */
export function isOnPlan(place: number, parents: LiveParents): (zone: Zone) => boolean {
  const isInside = new Map<number | null, boolean>([
    [null, place === 0],
    [place, true],
  ])
  return ({ location_id: id }) => {
    if (!parents.has(id) || id === place) return false
    const walked: number[] = []
    let at: number | null = id
    while (at !== null && !isInside.has(at)) {
      walked.push(at)
      at = parents.get(at) ?? null
    }
    const result = isInside.get(at) === true
    for (const step of walked) isInside.set(step, result)
    return result
  }
}

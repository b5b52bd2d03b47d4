import type { CatalogView } from '../../catalog/catalog-view.ts'

/** What counts as one place: a location, or one that is named with the sub-locations that are nearest to it. */
export type Places = {
  /** All locations of named places; undefined if every location is a place. */
  ids: readonly number[] | undefined
  /** Whether a place may have several locations. */
  isDeep: boolean
  /** The place of a location; undefined outside of the named ones. */
  placeOf: (locationId: number) => number | undefined
}

export function placesOf(
  view: Pick<CatalogView, 'childrenOf'>,
  orgId: number,
  named: readonly number[] | undefined,
  isDeep: boolean,
): Places {
  if (named === undefined) return { ids: undefined, isDeep: false, placeOf: (id) => id }
  const places = new Map(named.map((id) => [id, id]))
  // The map grows during the loop. Named locations are in it from the start, so each keeps what is below it.
  if (isDeep)
    for (const [id, place] of places)
      for (const child of view.childrenOf(orgId, id)) if (!places.has(child)) places.set(child, place)
  return { ids: [...places.keys()], isDeep, placeOf: (id) => places.get(id) }
}

import type { AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import type { Floor } from '@whereabouts/contracts/resources/tracking/floor'
import type { KnownLocation } from '../../catalog/catalog-view.ts'
import type { PlacedAsset } from './floor.queries.ts'

/** Locations with their index; a parent comes before its sub-locations. */
export type TopDown = ReadonlyMap<number, KnownLocation>

/**
 * At most `most` of the locations, level by level and by their ids. A location whose parent is not among them begins a
 * level of its own at the top.
 */
export function topDown(locations: readonly KnownLocation[], most: number): TopDown {
  const all = new Map(locations.map((location) => [location.id, location]))
  const children = Map.groupBy(locations, ({ parentId }) =>
    parentId !== null && all.has(parentId) ? parentId : 0,
  )
  const ordered = new Map<number, KnownLocation>()
  const add = (parent: number) => {
    for (const location of (children.get(parent) ?? []).toSorted((a, b) => a.id - b.id))
      if (ordered.size < most) ordered.set(location.id, location)
  }
  add(0)
  for (const id of ordered.keys()) add(id) // the map grows during the loop
  return ordered
}

/** `held` and `inside`: the number of assets at a location, and with its sub-locations. */
export function locationColumns(
  shown: TopDown,
  held: ReadonlyMap<number, number>,
  inside: ReadonlyMap<number, number>,
): Floor['locations'] {
  const indexOf = indexes(shown)
  const locations = [...shown.values()]
  return {
    id: locations.map(({ id }) => id),
    external_key: locations.map(({ key }) => key),
    name: locations.map(({ name }) => name),
    parent: locations.map(({ parentId }) => indexOf(parentId ?? 0)),
    here: locations.map(({ id }) => held.get(id) ?? 0),
    inside: locations.map(({ id }) => inside.get(id) ?? 0),
  }
}

export function assetColumns(
  shown: TopDown,
  assets: readonly PlacedAsset[],
  typeOf: (id: number) => AssetType,
): Floor['assets'] {
  const indexOf = indexes(shown)
  return {
    id: assets.map(({ id }) => id),
    external_key: assets.map(({ external_key }) => external_key),
    name: assets.map(({ name }) => name),
    type: assets.map(({ id }) => typeOf(id)),
    location: assets.map(({ location_id }) => indexOf(location_id)),
    since: assets.map(({ since }) => since),
    seen: assets.map(({ seen }) => seen),
  }
}

/** The index of an id, -1 if it is not among them. */
function indexes(shown: TopDown): (id: number) => number {
  const byId = new Map(Array.from(shown.keys(), (id, index) => [id, index]))
  return (id) => byId.get(id) ?? -1
}

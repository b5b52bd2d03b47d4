import type { components } from '@whereabouts/client/client'
import type { Movement } from '../../live/movement.ts'
import type { Places, Totals } from './places.ts'
import { type Building, buildingOf, pathTo } from './rooms.ts'

type Columns = components['schemas']['Floor']

type FloorAsset = { id: number; name: string; external_key: string; type: string }

/** Since when it is where it is, and when it was seen there last. Both are older than a movement that has just arrived. */
type Stay = { since: string; seen: string }

/** The floor as the server counted it at `readAt`, in milliseconds of the server's clock. */
export type FloorState = {
  readAt: number
  building: Building
  assets: ReadonlyMap<number, FloorAsset>
  places: Places
  stays: ReadonlyMap<number, Stay>
  totals: Totals
  /** How many there are. The picture may have fewer. */
  totalAssets: number
  totalLocations: number
}

/** Each location and asset from its place in the columns. */
export function floorStateOf({
  read_at,
  locations,
  assets,
  total_assets,
  total_locations,
}: Columns): FloorState {
  const instant = (seconds = 0) => new Date(seconds * 1000).toISOString()
  const rows = locations.id.map((id, i) => ({
    id,
    external_key: locations.external_key[i] ?? '',
    name: locations.name[i] ?? '',
    parent_id: locations.id[locations.parent[i] ?? -1] ?? null,
  }))
  const known = assets.id.map((id, i) => ({
    id,
    external_key: assets.external_key[i] ?? '',
    name: assets.name[i] ?? '',
    type: assets.type[i] ?? '',
  }))
  const places = assets.id.flatMap((id, i): [number, number][] => {
    const place = locations.id[assets.location[i] ?? -1]
    return place === undefined ? [] : [[id, place]]
  })
  return {
    readAt: Date.parse(read_at),
    building: buildingOf(rows),
    assets: new Map(known.map((asset) => [asset.id, asset])),
    places: new Map(places),
    stays: new Map(
      assets.id.map((id, i) => [id, { since: instant(assets.since[i]), seen: instant(assets.seen[i]) }]),
    ),
    totals: new Map(locations.id.map((id, i) => [id, locations.inside[i] ?? 0])),
    totalAssets: total_assets,
    totalLocations: total_locations,
  }
}

/**
 * The numbers after these movements, which are in the order in which they happened. A movement may be among the numbers
 * already. For an asset of `places` its place tells; for any other, only a movement later than `readAt` counts, so that none
 * counts twice.
 */
export function totalsAfter(
  { totals, places, building, readAt }: FloorState,
  moves: readonly Movement[],
): Totals {
  const next = new Map(totals)
  const now = new Map<number, number | undefined>()
  const add = (location: number | undefined, change: number) => {
    for (const { id } of pathTo(building.rooms.get(location ?? 0))) next.set(id, (next.get(id) ?? 0) + change)
  }
  for (const { asset, from_location, to_location, occurred_at } of moves) {
    const isKnown = now.has(asset.id) || places.has(asset.id)
    if (!isKnown && Date.parse(occurred_at) <= readAt) continue
    const from = now.has(asset.id) ? now.get(asset.id) : (places.get(asset.id) ?? from_location?.id)
    now.set(asset.id, to_location.id)
    if (from === to_location.id) continue
    add(from, -1)
    add(to_location.id, 1)
  }
  return next
}

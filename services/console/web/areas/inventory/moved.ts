import type { LastLocations, Place } from './last-locations.ts'
import type { Match } from '../../parts/load/lookups.ts'

export type SavedRow = { asset: Match; from: Place | null }

export type Outcome = {
  /** Came from another location. */
  moved: SavedRow[]
  /** Were already there. */
  stayed: SavedRow[]
  /** Had no location before. */
  first: SavedRow[]
}

/** Sorts the saved assets by their earlier location. */
export function outcomeOf(assets: readonly Match[], earlier: LastLocations, locationId: number): Outcome {
  const outcome: Outcome = { moved: [], stayed: [], first: [] }
  for (const asset of assets) {
    const row = { asset, from: earlier.get(asset.id) ?? null }
    if (row.from === null) outcome.first.push(row)
    else if (row.from.id === locationId) outcome.stayed.push(row)
    else outcome.moved.push(row)
  }
  return outcome
}

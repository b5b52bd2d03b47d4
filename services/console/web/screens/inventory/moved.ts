import type { LastLocation } from './last-locations.ts'

export type SavedRow = { key: string; assetId: number | undefined; from: LastLocation['location'] }

export type Outcome = {
  /** Came from another location. */
  moved: SavedRow[]
  /** Were already there. */
  stayed: SavedRow[]
  /** Had no location before. */
  first: SavedRow[]
}

/** Sorts the saved assets by their earlier location. */
export function outcomeOf(
  keys: readonly string[],
  earlier: ReadonlyMap<string, LastLocation>,
  locationId: number,
): Outcome {
  const outcome: Outcome = { moved: [], stayed: [], first: [] }
  for (const key of keys) {
    const before = earlier.get(key)
    const row = { key, assetId: before?.id, from: before?.location ?? null }
    if (row.from === null) outcome.first.push(row)
    else if (row.from.id === locationId) outcome.stayed.push(row)
    else outcome.moved.push(row)
  }
  return outcome
}

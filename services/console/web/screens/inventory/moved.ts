import type { Whereabouts } from './earlier.ts'

export type SavedRow = { key: string; assetId: number | undefined; from: Whereabouts['location'] }

export type Outcome = {
  /** Seen elsewhere before. */
  moved: SavedRow[]
  /** Were there already. */
  stayed: SavedRow[]
  /** Not seen at any location before. */
  first: SavedRow[]
}

/** What a save changed, by where the assets were before it. */
export function outcomeOf(
  keys: readonly string[],
  earlier: ReadonlyMap<string, Whereabouts>,
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

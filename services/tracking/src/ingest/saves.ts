import type { Position } from './movements.ts'
import { minuteOf, type Observation } from './observation.ts'

/** An operator says that these assets are at this location. */
export type Save = { orgId: number; assetIds: readonly number[]; locationId: number; savedAtMs: number }

/**
 * The rows of a save. It is the last word on each asset: where a reader with a fast clock, 30 seconds ahead at most
 * (D8.6), has left a row later than the save, the save counts as made a millisecond after it, so that neither "last
 * seen" nor the order of events steps back (ADR 20).
 */
export function placeSave(current: readonly Position[], save: Save): Observation[] {
  const positions = new Map(current.map((position) => [position.assetId, position]))
  const { orgId, assetIds, locationId, savedAtMs } = save
  return assetIds.map((assetId) => {
    const before = positions.get(assetId)
    const observedAtMs = before ? Math.max(savedAtMs, before.observedAtMs + 1) : savedAtMs
    const minute = minuteOf(observedAtMs)
    return { orgId, assetId, minute, observedAtMs, locationId, readerKey: null, antenna: null }
  })
}

import type { Position } from './position.ts'
import { NOT_READ } from './cause.ts'
import { minuteOf, type Observation } from './observation.ts'

/** An operator's statement that these assets are at this location. */
export type Save = { orgId: number; assetIds: readonly number[]; locationId: number; savedAtMs: number }

/**
 * The rows of a save, which overrides all rows before it. The clock of a reader may be up to 30 seconds ahead (D8.6).
 * If it left a row later than the save, the save takes effect a millisecond after that row, so that neither "last
 * seen" nor the order of events steps back (ADR 20).
 */
export function placeSave(current: ReadonlyMap<number, Position>, save: Save): Observation[] {
  const { orgId, assetIds, locationId, savedAtMs } = save
  return assetIds.map((assetId) => {
    const before = current.get(assetId)
    const observedAtMs = before ? Math.max(savedAtMs, before.observedAtMs + 1) : savedAtMs
    return toRow({ orgId, assetId, observedAtMs, locationId })
  })
}

const toRow = (saved: { orgId: number; assetId: number; observedAtMs: number; locationId: number }) => ({
  ...saved,
  minute: minuteOf(saved.observedAtMs),
  rssi: null,
  isJudged: false,
  ...NOT_READ,
})

/**
 * The row of a late save of one asset. It overwrites its minute, and rows of later minutes stay. No row if the minute
 * already holds this save or a later one. `inMinute` is the stored row of that minute.
 */
export function placeLateSave(
  current: readonly Position[],
  { orgId, assetIds: [assetId], locationId, savedAtMs }: Save & { assetIds: readonly [number] },
  inMinute: { observedAtMs: number; isSave: boolean } | undefined,
): Observation[] {
  if (inMinute?.isSave && inMinute.observedAtMs >= savedAtMs) return []
  const minute = minuteOf(savedAtMs)
  const newest = current.find((position) => position.assetId === assetId && position.minute === minute)
  // In the newest minute "last seen" must not step back, nor the order of events.
  const observedAtMs = newest ? Math.max(savedAtMs, sameMinuteAfter(newest.observedAtMs)) : savedAtMs
  return [toRow({ orgId, assetId, observedAtMs, locationId })]
}

const sameMinuteAfter = (ms: number) => (minuteOf(ms + 1) === minuteOf(ms) ? ms + 1 : ms)

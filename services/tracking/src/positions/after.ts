import type { Observation } from './observation.ts'
import { waitingOf, type Evidence } from './evidence.ts'
import type { Position } from './position.ts'
import { isJudging, type PlacementRules } from './rules.ts'

/** After a save, which counts as 0 dBm at its place for the hold (D18.7). `row` is the newest of its asset. */
export function evidenceAfterSave(
  before: Evidence | null,
  { minute, locationId, observedAtMs: at }: Observation,
  rules: PlacementRules,
): Evidence | null {
  if (!isJudging(rules) || locationId === null) return null
  const heard = (before?.heard ?? []).flatMap((other) =>
    other.place === locationId ? [] : [{ ...other, stronger_since: undefined }],
  )
  heard.push({ place: locationId, at, rssi: null, stronger_since: undefined, fixed_at: at })
  return { minute, heard }
}

/** The first observation of the minute after the position's, where its last read waits at another place (D18.3). */
export function carried(position: Position): Observation | undefined {
  const waiting = waitingOf(position)
  if (waiting === null) return undefined
  const minute = position.minute + 1
  return {
    orgId: position.orgId,
    assetId: position.assetId,
    minute,
    observedAtMs: minute * 60_000,
    locationId: waiting.place,
    rssi: null,
    isJudged: true,
    ...(waiting.is_late && { isLate: true }),
    ...waiting.cause,
    carriedFromMs: waiting.at,
  }
}

/** After a waiting read became a row: what was heard counts on. */
export function evidenceAfterCarry({ minute, evidence }: Position): Evidence | null {
  return evidence?.heard ? { minute: minute + 1, heard: evidence.heard } : null
}

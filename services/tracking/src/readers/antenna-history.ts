/** An antenna with a scan point, which may have no location, or an unassigned antenna. */
export type AntennaAssignment =
  | { isAssigned: true; scanPointId: number; locationId: number | null }
  | { isAssigned: false }

/** From an instant on, until the next one of the list. */
export type AntennaChange = { fromMs: number; assignment: AntennaAssignment }

/** How the strengths that an antenna reports count. `minRssiDbm` null: as its organization says. */
export type ScanPointStrength = { minRssiDbm: number | null; rssiOffsetDb: number }

/**
 * Nearly every antenna has no change that is remembered, and then no time is compared. `strength`: as set now, also for reads of
 * earlier times.
 */
export type AntennaHistory = {
  now: AntennaAssignment
  changes?: readonly AntennaChange[] | undefined
  strength?: ScanPointStrength | undefined
}

export const UNASSIGNED: AntennaAssignment = { isAssigned: false }

/** What the antenna stood for at an instant. What it stood for first counts for earlier times too (D18.1). */
export function assignmentAt({ now, changes }: AntennaHistory, asOfMs: number): AntennaAssignment {
  if (changes === undefined) return now
  return (changes.findLast(({ fromMs }) => fromMs <= asOfMs) ?? changes[0])?.assignment ?? now
}

/**
 * The history of an antenna of these changes, the oldest first. Before its first location it was being set up, so that
 * no location until then counts as that one.
 */
export function antennaHistory(now: AntennaAssignment, all: readonly AntennaChange[]): AntennaHistory {
  const first = all.findIndex(({ assignment }) => assignment.isAssigned && assignment.locationId !== null)
  const begun = first === -1 ? all.findIndex(({ assignment }) => assignment.isAssigned) : first
  const changes = begun === -1 ? [] : all.slice(begun)
  const isPlain = changes.length === 0 || (changes.length === 1 && now.isAssigned)
  return isPlain ? { now } : { now, changes }
}

import type { Position } from '../positions/position.ts'
import { minuteOf, type Minute, type Observation } from './observation.ts'

type Key = { orgId: number; assetId: number }

/** Stays whose first observation is no longer the one we knew, to be looked up in history. */
export type BrokenDwells = {
  /** The asset was elsewhere in `minute`: the stay begins with the first row after it. */
  broken: (Key & { minute: Minute })[]
  /** There may be rows at the same location right before `minute`, with which the stay begins then. */
  longer: (Key & { minute: Minute; locationId: number })[]
}

/**
 * What rows say of the current stays (D8.2): a late one elsewhere inside a stay breaks it; a late one at the same place
 * before it, or one that puts this place into the minute with which it begins, may make it longer. A late save may also
 * overwrite the row with which it begins. `positions` are those that hold when the rows are stored.
 */
export function findBrokenDwells(
  positions: readonly Position[],
  { late, replaced }: { late: readonly Observation[]; replaced: readonly Observation[] },
): BrokenDwells {
  const [lateOf, replacedOf] = [late, replaced].map((rows) => Map.groupBy(rows, (row) => row.assetId))
  const unsettled: BrokenDwells = { broken: [], longer: [] }
  for (const { orgId, assetId, locationId, dwellStartedAtMs } of positions) {
    if (locationId === null || dwellStartedAtMs === null) continue
    const rows = lateOf?.get(assetId) ?? []
    const first = minuteOf(dwellStartedAtMs)
    const inside = rows.filter((row) => row.minute >= first && row.locationId !== locationId)
    const isLonger =
      rows.some((row) => row.minute < first && row.locationId === locationId) ||
      replacedOf?.get(assetId)?.some((row) => row.minute === first)
    const isRenewed = rows.some((row) => row.minute === first && row.locationId === locationId)
    if (inside.length > 0)
      unsettled.broken.push({ orgId, assetId, minute: Math.max(...inside.map((row) => row.minute)) })
    else if (isRenewed) unsettled.longer.push({ orgId, assetId, minute: first + 1, locationId })
    else if (isLonger) unsettled.longer.push({ orgId, assetId, minute: first, locationId })
  }
  return unsettled
}

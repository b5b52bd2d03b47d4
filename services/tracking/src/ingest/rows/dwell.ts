import type { Position } from '../../positions/position.ts'
import { minuteOf, type Minute, type Observation } from '../../positions/observation.ts'

type Key = { orgId: number; assetId: number }

/** Dwells that no longer start where their position says. The new start is looked up in history. */
export type BrokenDwells = {
  /** The asset was elsewhere in `minute`: the dwell starts with the first row after it. */
  broken: (Key & { minute: Minute })[]
  /** Rows at the same location right before `minute`, if there are any, belong to the dwell. */
  longer: (Key & { minute: Minute; locationId: number })[]
}

/**
 * Finds the dwells that stored rows change (D8.2). A late row elsewhere inside a dwell breaks it. A late row at the
 * same location before the dwell, or a row that puts this location into its first minute, may make it longer. A late
 * save may also overwrite its first row. `positions` are those after the rows are stored.
 */
export function findBrokenDwells(
  positions: readonly Position[],
  { late, replaced }: { late: readonly Observation[]; replaced: readonly Observation[] },
): BrokenDwells {
  const [lateOf, replacedOf] = [late, replaced].map((rows) => Map.groupBy(rows, (row) => row.assetId))
  const dwells: BrokenDwells = { broken: [], longer: [] }
  for (const { orgId, assetId, locationId, dwellStartedAtMs } of positions) {
    if (locationId === null || dwellStartedAtMs === null) continue
    const rows = lateOf?.get(assetId) ?? []
    const first = minuteOf(dwellStartedAtMs)
    const inside = rows.filter((row) => row.minute >= first && row.locationId !== locationId)
    const mayBeLonger =
      rows.some((row) => row.minute < first && row.locationId === locationId) ||
      replacedOf?.get(assetId)?.some((row) => row.minute === first)
    const isFirstRowReplaced = rows.some((row) => row.minute === first && row.locationId === locationId)
    if (inside.length > 0)
      dwells.broken.push({ orgId, assetId, minute: Math.max(...inside.map((row) => row.minute)) })
    else if (isFirstRowReplaced) dwells.longer.push({ orgId, assetId, minute: first + 1, locationId })
    else if (mayBeLonger) dwells.longer.push({ orgId, assetId, minute: first, locationId })
  }
  return dwells
}

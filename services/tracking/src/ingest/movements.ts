import type { Position } from '../positions/position.ts'
import { minuteOf, type Observation } from './observation.ts'

type Placed = Observation & { locationId: number }

/** An asset came to `to`; `fromLocationId` is null when it had never been seen or was last seen nowhere. */
export type Movement = { kind: 'scan' | 'save'; to: Placed; fromLocationId: number | null }

/**
 * `positions` are those that changed. What the rows do to the stays takes a look at history: `late` rows only filled
 * it, `replaced` ones put another location into a newest minute that had begun a stay.
 */
export type Advance = {
  positions: Position[]
  movements: Movement[]
  late: Observation[]
  replaced: Observation[]
}

/**
 * The movement rules (D8), free of any I/O. `stored` are history rows that are new or overwritten, `current` the
 * positions of their assets as locked in the same transaction. A row older than the position fills history only
 * (D8.7). A row at another location than the last is a movement; a row without a location moves the asset nowhere and
 * announces nothing, and the next one at a location comes from null.
 */
export function advance(
  current: readonly Position[],
  stored: readonly Observation[],
  kind: Movement['kind'] = 'scan',
): Advance {
  const positions = new Map(current.map((position) => [position.assetId, position]))
  const changed = new Map<number, Position>()
  const movements: Movement[] = []
  const [late, replaced]: [Observation[], Observation[]] = [[], []]
  for (const row of stored.toSorted((a, b) => a.minute - b.minute)) {
    const before = positions.get(row.assetId)
    if (before && before.minute > row.minute) {
      late.push(row)
      continue
    }
    if (before && isReplaced(before, row)) replaced.push(row)
    const after = positionAfter(before, row)
    positions.set(row.assetId, after)
    changed.set(row.assetId, after)
    if (isPlaced(row) && row.locationId !== before?.locationId)
      movements.push({ kind, to: row, fromLocationId: before?.locationId ?? null })
  }
  return { positions: [...changed.values()], movements, late, replaced }
}

/** Where the stay is older than its newest minute, the row before is at the old place: there is nothing to look up. */
const isReplaced = ({ minute, locationId, dwellStartedAtMs: since }: Position, row: Observation) =>
  minute === row.minute && locationId !== row.locationId && (since === null || minuteOf(since) === minute)

const isPlaced = (row: Observation): row is Placed => row.locationId !== null

function positionAfter(before: Position | undefined, row: Observation): Position {
  const { orgId, assetId, minute, observedAtMs, locationId } = row
  return { orgId, assetId, minute, observedAtMs, locationId, dwellStartedAtMs: dwellAfter(before, row) }
}

function dwellAfter(before: Position | undefined, row: Observation): number | null {
  if (row.locationId === null) return null
  const since = before?.locationId === row.locationId ? before.dwellStartedAtMs : null
  return since !== null && minuteOf(since) < row.minute ? since : row.observedAtMs // its own row may be overwritten
}

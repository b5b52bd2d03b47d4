import { byAsset, type Position } from './position.ts'
import { minuteOf, type Observation } from './observation.ts'

type WithLocation = Observation & { locationId: number }

const MINUTE_MS = 60_000

/** An asset came to `to`. `fromLocationId` is null if it was never seen before or was last seen without a location. */
export type Movement = { kind: 'scan' | 'save'; to: WithLocation; fromLocationId: number | null }

/** An asset is at another location than before, or at one that is not known. */
type PlaceChange = {
  orgId: number
  assetId: number
  atMs: number
  from: number | null
  to: number | null
  isLate: boolean
}

/** An asset was seen after a minute or more. */
export type SeenAgain = {
  orgId: number
  assetId: number
  /** When and where it was seen before. */
  beforeMs: number
  placeId: number | null
  atMs: number
  isLate: boolean
}

/**
 * `positions` are those that changed, and `arrivals` the movements to a newer minute. Two kinds of rows may change a
 * dwell, which needs a lookup in history: `late` rows only filled history, and `replaced` rows put another location
 * into a newest minute that was the first of a dwell. `rewritten` are all rows that replaced a newest one.
 */
export type Advance = {
  positions: Position[]
  movements: Movement[]
  arrivals: Movement[]
  late: Observation[]
  rewritten: Observation[]
  replaced: Observation[]
  /** What rules look at, in the order of time of each asset. */
  places: PlaceChange[]
  seenAgain: SeenAgain[]
}

/**
 * The movement rules (D8), without I/O. `stored` are new or overwritten history rows, `current` the positions of
 * their assets, locked in the same transaction. A row older than the position only fills history (D8.7). A row at
 * another location than the last is a movement. After a row without a location, which is not a movement, the next
 * movement comes from null.
 */
export function advance(
  current: readonly Position[],
  stored: readonly Observation[],
  kind: Movement['kind'] = 'scan',
): Advance {
  const positions = byAsset(current)
  const changed = new Map<number, Position>()
  const [movements, arrivals]: [Movement[], Movement[]] = [[], []]
  const [places, seenAgain]: [PlaceChange[], SeenAgain[]] = [[], []]
  const [late, rewritten, replaced]: [Observation[], Observation[], Observation[]] = [[], [], []]
  for (const row of stored.toSorted((a, b) => a.minute - b.minute)) {
    const before = positions.get(row.assetId)
    if (before && before.minute > row.minute) {
      late.push(row)
      continue
    }
    const isRewritten = before?.minute === row.minute
    if (isRewritten) rewritten.push(row)
    if (before && isReplaced(before, row)) replaced.push(row)
    const after = positionAfter(before, row)
    positions.set(row.assetId, after)
    changed.set(row.assetId, after)
    const { orgId, assetId, observedAtMs: atMs } = row
    if (before && atMs - before.observedAtMs >= MINUTE_MS)
      seenAgain.push({
        orgId,
        assetId,
        beforeMs: before.observedAtMs,
        placeId: before.locationId,
        atMs,
        isLate: row.isLate === true,
      })
    const from = before?.locationId ?? null
    if (from !== row.locationId)
      places.push({ orgId, assetId, atMs, from, to: row.locationId, isLate: row.isLate === true })
    if (!hasLocation(row) || row.locationId === before?.locationId) continue
    const movement = { kind, to: row, fromLocationId: before?.locationId ?? null }
    movements.push(movement)
    if (!isRewritten) arrivals.push(movement)
  }
  return {
    positions: [...changed.values()],
    movements,
    arrivals,
    late,
    rewritten,
    replaced,
    places,
    seenAgain,
  }
}

/** A dwell that is older than its newest minute needs no lookup: the row before is at the old location. */
const isReplaced = ({ minute, locationId, dwellStartedAtMs: since }: Position, row: Observation) =>
  minute === row.minute && locationId !== row.locationId && (since === null || minuteOf(since) === minute)

const hasLocation = (row: Observation): row is WithLocation => row.locationId !== null

function positionAfter(before: Position | undefined, row: Observation): Position {
  const { orgId, assetId, minute, observedAtMs, locationId } = row
  const dwellStartedAtMs = dwellAfter(before, row)
  return { orgId, assetId, minute, observedAtMs, locationId, dwellStartedAtMs, evidence: null }
}

function dwellAfter(before: Position | undefined, row: Observation): number | null {
  if (row.locationId === null) return null
  const since = before?.locationId === row.locationId ? before.dwellStartedAtMs : null
  return since !== null && minuteOf(since) < row.minute ? since : row.observedAtMs // its own row may be overwritten
}

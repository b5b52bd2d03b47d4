import { findRowsBefore } from '../../rows/scans.queries.ts'
import { writeSteps } from '../../rows/movement-rows.queries.ts'
import { tellErased } from '../../places/heard-elsewhere.ts'
import type { Tx } from '../../../db.ts'
import type { Evidence } from '../../../positions/evidence.ts'
import { lockPositions } from '../../../positions/lock-positions.queries.ts'
import { minuteOf, type Minute } from '../../../positions/observation.ts'
import { DAY_MS } from '../../../positions/packed/day-rows.ts'
import { OldDays, type OldRow } from '../../../positions/packed/old-days.ts'
import type { AssetKey, Position } from '../../../positions/position.ts'
import {
  deleteMovements,
  deletePackedDays,
  deleteScans,
  findFirstScanAfter,
  findLastMovement,
  forgetPosition,
  lockPacking,
  replacePosition,
  type Bounds,
} from './erase.queries.ts'

export type Erased = { rows: number; movements: number }

/**
 * Erases the rows of one asset within a range, wherever they are stored, in the caller's transaction. What stays is as if the rows had
 * never come: the first row after them is a movement from the last one before them, and the position is the newest row that is left.
 * Safe to repeat.
 */
export async function eraseHistory(tx: Tx, key: AssetKey, range: Bounds): Promise<Erased> {
  const [position] = await lockPositions(tx, [key])
  const packed = await lockPacking(tx)
  const ofScan = await deleteScans(tx, key, range)
  const ofDays = await deletePackedDays(tx, key, range)
  const movements = await deleteMovements(tx, key, range)
  const old = new OldDays(tx)
  const [before, after] = await findNeighbors(tx, old, key, range, packed)
  const rows = ofScan + ofDays
  if (rows > 0 && after) await writeSteps(tx, [{ ...key, ...after, fromId: before?.locationId ?? null }])
  if (position) await correctPosition(tx, position, range, { before, after, isChanged: rows > 0 })
  await tellErased(tx, key, range.to ? Math.floor(range.to.us / 1_000) : null)
  return { rows, movements }
}

type Neighbors = readonly [before: OldRow | undefined, after: OldRow | undefined]

/** The rows around the range. Its own minutes may have one at each end. */
async function findNeighbors(
  tx: Tx,
  old: OldDays,
  key: AssetKey,
  { from, to }: Bounds,
  packedUntil: Minute,
): Promise<Neighbors> {
  const [first, last] = [minuteAt(from), minuteAt(to)]
  const [before] = first === undefined ? [] : await findRowsBefore(tx, old, [{ ...key, minute: first }])
  if (last === undefined) return [before, undefined]
  const at = { ...key, minute: before?.minute === last ? last : last - 1 }
  await old.split([at])
  const isPacked = at.minute < packedUntil
  return [before, isPacked ? old.rowAfter(at) : await findFirstScanAfter(tx, at)]
}

async function correctPosition(
  tx: Tx,
  position: Position,
  range: Bounds,
  { before, after, isChanged }: { before: OldRow | undefined; after: OldRow | undefined; isChanged: boolean },
): Promise<void> {
  const isErased = isWithin(position.observedAtMs, range)
  const keepsEvidence = !isErased && !timesOf(position.evidence).some((ms) => isWithin(ms, range))
  if (!isErased && !isChanged && keepsEvidence) return
  const newest = isErased ? (after ?? before) : position
  if (!newest) return forgetPosition(tx, position)
  const dwellStartedAtMs = await findDwellStart(tx, { ...position, ...newest }, { range, after })
  await replacePosition(tx, { ...position, ...newest, dwellStartedAtMs }, keepsEvidence)
}

/** The last movement. Without one, because it is older than history, the dwell is as old as it was, or as what is left of it. */
async function findDwellStart(
  tx: Tx,
  { locationId, dwellStartedAtMs: known, observedAtMs, ...key }: Position,
  { range, after }: { range: Bounds; after: OldRow | undefined },
): Promise<number | null> {
  if (locationId === null) return null
  const moved = await findLastMovement(tx, key)
  if (moved !== undefined) return moved
  return known !== null && !isWithin(known, range) ? known : (after?.observedAtMs ?? observedAtMs)
}

/** Positions have whole milliseconds, and rows may have microseconds. */
const isWithin = (ms: number, { from, to }: Bounds) =>
  ms >= Math.floor((from?.us ?? -Infinity) / 1_000) && ms * 1_000 <= (to?.us ?? Infinity)

const timesOf = (evidence: Evidence | null): number[] => [
  ...(evidence?.last ? [evidence.last.at] : []),
  ...(evidence?.heard ?? []).flatMap(({ at, stronger_since: since = at, fixed_at: fixed = at }) => [
    at,
    since,
    fixed,
  ]),
]

const [FIRST_MINUTE, LAST_MINUTE] = [0, (200 * 366 * DAY_MS) / 60_000]

/** Undefined beyond all rows. */
function minuteAt(end: Bounds['from']): Minute | undefined {
  if (!end) return undefined
  const minute = minuteOf(end.us / 1_000)
  return minute < FIRST_MINUTE || minute > LAST_MINUTE ? undefined : minute
}

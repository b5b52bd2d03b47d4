import { isDeepStrictEqual } from 'node:util'
import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { Trace } from '@whereabouts/service-kit/observe/trace'
import type { Tx } from '../../db.ts'
import { carried, evidenceAfterCarry, evidenceAfterSave } from '../../positions/after.ts'
import type { Decided } from '../../positions/decide.ts'
import { carryAtMs, waitingOf, type Evidence } from '../../positions/evidence.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { byAsset, type AssetKey, type Position } from '../../positions/position.ts'
import { isJudging, type PlacementRules } from '../../positions/rules.ts'
import { applySteps } from '../../rules/live/apply-steps.ts'
import { toEvent } from './asset-moved.ts'
import { findBrokenDwells } from './dwell.ts'
import { findDwellStarts } from './dwell.queries.ts'
import { tellHeardElsewhere } from '../places/heard-elsewhere.ts'
import { insertMovements, repairMovements } from './movement-rows.queries.ts'
import { decideAll, type Locked, type StoreDeps } from './decide-all.ts'
import { advance, type Advance } from '../../positions/movements.ts'
import { findMissingNames, type MissingNames } from './names.ts'
import type { Observation } from '../../positions/observation.ts'
import { OldDays } from '../../positions/packed/old-days.ts'
import {
  closeMinutes,
  insertScans,
  overwriteScans,
  updatePositions,
  type PositionWrite,
} from './scans.queries.ts'

/**
 * `movements`: events in the outbox, also of alerts. `missing`: names without which an event was left out. `positions`: of all assets of the
 * observations, afterwards. `outvoted`: the observations that were set aside.
 */
export type Stored = {
  rows: number
  movements: number
  missing: MissingNames
  positions: (Position & { lastAtMs?: number | undefined })[]
  outvoted: Observation[]
}

export const NOTHING_STORED: Stored = {
  rows: 0,
  movements: 0,
  missing: new Map(),
  positions: [],
  outvoted: [],
}

/**
 * Stores history rows, movements, positions and events, in the caller's transaction. Safe to repeat and to run next to another
 * replica: existing rows change nothing and make no event. Expects the observations in the order of arrival.
 */
export async function storeScans(
  tx: Tx,
  deps: StoreDeps,
  observations: readonly Observation[],
): Promise<Stored> {
  const current = await lockPositions(tx, observations)
  const old = new OldDays(tx, deps.now)
  const decided = await decideAll(tx, deps, { current, old }, observations)
  const all = [...decided.values()]
  const rows = all.flatMap((one) => one.rows)
  const replaced = all.flatMap((one) => one.replaced ?? [])
  const stored = rows.length === 0 ? [] : await insertScans(tx, old, rows)
  if (replaced.length > 0) await overwriteScans(tx, old, replaced)
  await closeMinutes(tx, old, closedOf(decided))
  const advanced = advance(current, [...stored, ...replaced])
  const outcome = await storeAdvance(
    tx,
    deps,
    { current, old },
    advanced,
    (assetId) => decided.get(assetId)?.evidence,
  )
  const positions = outcome.positions.map((position) =>
    Object.assign(position, { lastAtMs: decided.get(position.assetId)?.lastAtMs }),
  )
  await tellHeardElsewhere(tx, newlyOpen(current, outcome.positions, deps))
  return {
    ...outcome,
    rows: stored.length + replaced.length,
    outvoted: all.flatMap((one) => one.outvoted),
    positions,
  }
}

/** Positions of which other replicas may drop the next reads, because they only know the row. */
function newlyOpen(
  before: readonly Position[],
  after: readonly Position[],
  { rulesOf }: StoreDeps,
): Position[] {
  const known = byAsset(before)
  const isOpen = (position: Position | undefined) =>
    position?.evidence?.last !== undefined && position.evidence.minute === position.minute
  return after.filter(
    (position) =>
      isOpen(position) &&
      !(isOpen(known.get(position.assetId)) && known.get(position.assetId)?.minute === position.minute) &&
      !isJudging(rulesOf(position.orgId)),
  )
}

const closedOf = (decided: ReadonlyMap<number, Decided>) =>
  [...decided].flatMap(([assetId, { closed, rows, replaced }]) => {
    const orgId = (rows[0] ?? replaced)?.orgId
    return closed === undefined || orgId === undefined ? [] : [{ orgId, assetId, ...closed }]
  })

/** The trace of the request that moved an asset. */
export type CauseOf = (assetId: number) => Trace | undefined

/**
 * Stores the rows of operators' saves. They overwrite the rows of their minutes and make events at once (ADR 20).
 * `current` was locked in the caller's transaction.
 */
export async function storeSaves(
  tx: Tx,
  deps: StoreDeps,
  current: readonly Position[],
  rows: readonly Observation[],
  causeOf?: CauseOf,
): Promise<Stored> {
  const old = new OldDays(tx, deps.now)
  await overwriteScans(tx, old, rows)
  const before = byAsset(current)
  const saved = byAsset(rows)
  const evidenceOf = (assetId: number): Evidence | null | undefined => {
    const [position, row] = [before.get(assetId), saved.get(assetId)]
    if (!row || (position && position.minute > row.minute)) return position?.evidence
    return evidenceAfterSave(position?.evidence ?? null, row, deps.rulesOf(row.orgId))
  }
  const outcome = await storeAdvance(
    tx,
    deps,
    { current, old },
    advance(current, rows, 'save'),
    evidenceOf,
    causeOf,
  )
  await tellHeardElsewhere(tx, outcome.positions)
  return { ...outcome, rows: rows.length, outvoted: [] }
}

/**
 * Stores the last reads of these assets, which wait at another place than their rows, as the first observations of the next
 * minutes (D18.3). Nothing for an asset whose position changed meanwhile, so that replicas may do the same.
 */
export async function storeCarried(tx: Tx, deps: StoreDeps, assets: readonly AssetKey[]): Promise<Stored> {
  const { now = Date.now, rulesOf } = deps
  const current = await lockPositions(tx, assets)
  const nowMs = now()
  const isDue = (position: Position) => (dueMs(position, rulesOf(position.orgId)) ?? Infinity) <= nowMs
  // Those that are not due any more get the time at which they will be, or none.
  const changed = current.filter((position) => !isDue(position))
  await updatePositions(
    tx,
    changed.map((position) => toWrite(position, rulesOf(position.orgId))),
  )
  const due = current.filter(isDue)
  const rows = due.flatMap((position) => carried(position) ?? [])
  if (rows.length === 0) return NOTHING_STORED
  const old = new OldDays(tx, now)
  const stored = await insertScans(tx, old, rows)
  const positions = byAsset(due)
  const evidenceOf = (assetId: number) => {
    const position = positions.get(assetId)
    return position && evidenceAfterCarry(position)
  }
  const outcome = await storeAdvance(tx, deps, { current: due, old }, advance(due, stored), evidenceOf)
  await closeMinutes(tx, old, due.flatMap(outvotedOf))
  await tellHeardElsewhere(tx, outcome.positions)
  return { ...outcome, rows: stored.length, outvoted: [] }
}

/** What was set aside in the newest minute, which ends. */
const outvotedOf = ({ orgId, assetId, minute, evidence }: Position) =>
  evidence?.outvoted && evidence.minute === minute
    ? [{ orgId, assetId, minute, outvoted: evidence.outvoted }]
    : []

async function storeAdvance(
  tx: Tx,
  { view, rulesOf, book, now = Date.now }: StoreDeps,
  { current, old }: Locked,
  advanced: Advance,
  evidenceOf: (assetId: number) => Evidence | null | undefined,
  causeOf?: CauseOf,
): Promise<Pick<Stored, 'movements' | 'missing' | 'positions'>> {
  const changed = byAsset(await recalculateDwells(tx, { current, old }, advanced))
  const positions: Position[] = []
  const writes: PositionWrite[] = []
  for (const before of byAsset([...current, ...advanced.positions]).values()) {
    const evidence = evidenceOf(before.assetId) ?? null
    const after = { ...(changed.get(before.assetId) ?? before), evidence }
    positions.push(after)
    if (changed.has(before.assetId) || !isSame(before.evidence, evidence))
      writes.push(toWrite(after, rulesOf(after.orgId)))
  }
  await updatePositions(tx, writes)
  const { movements, arrivals, late, rewritten } = advanced
  await insertMovements(tx, arrivals)
  await repairMovements(tx, old, [...late, ...rewritten])
  const announced = movements.filter(({ to }) => !to.isLate)
  const events = announced.flatMap((movement) => toEvent(movement, view) ?? [])
  await enqueue(tx, assetMoved, events, causeOf && (({ asset }) => causeOf(asset.id)))
  const { places: steps, seenAgain } = advanced
  const alerts = await applySteps(tx, { book, view }, { steps, seenAgain, nowMs: now() })
  return { movements: events.length + alerts, missing: findMissingNames(announced, view), positions }
}

const isSame = (a: Evidence | null, b: Evidence | null) => a === b || isDeepStrictEqual(a, b)

const toWrite = (position: Position, rules: PlacementRules): PositionWrite => ({
  ...position,
  carryAtMs: dueMs(position, rules),
})

function dueMs(position: Position, { passages }: PlacementRules): number | null {
  const waiting = passages === 'carry' ? waitingOf(position) : null
  return waiting && carryAtMs(waiting)
}

/** The positions to write: those that advanced, and those whose dwell now starts at another row. */
async function recalculateDwells(tx: Tx, { current, old }: Locked, advanced: Advance): Promise<Position[]> {
  const { positions, late, replaced } = advanced
  if (late.length + replaced.length === 0) return positions
  const latest = new Map([...current, ...positions].map((position) => [position.assetId, position]))
  const starts = await findDwellStarts(tx, old, findBrokenDwells([...latest.values()], advanced))
  const changed = new Map(positions.map((position) => [position.assetId, position]))
  for (const [assetId, dwellStartedAtMs] of starts) {
    const position = latest.get(assetId)
    if (position) changed.set(assetId, { ...position, dwellStartedAtMs })
  }
  return [...changed.values()]
}

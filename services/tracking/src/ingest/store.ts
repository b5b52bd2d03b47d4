import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { enqueue } from '@whereabouts/db/outbox'
import type { Trace } from '@whereabouts/service-kit/trace'
import type { Tx } from '../db.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { toEvent } from './asset-moved.ts'
import { advance, type Advance } from './movements.ts'
import type { Position } from '../positions/position.ts'
import { findMissingNames, type MissingNames } from './names.ts'
import type { Observation } from './observation.ts'
import { insertScans, overwriteScans, updatePositions } from './scans.queries.ts'
import { insertMovements, repairMovements } from './movement-rows.queries.ts'
import { lockPositions } from '../positions/lock-positions.queries.ts'
import { findDwellStarts } from './dwell.queries.ts'
import { findBrokenDwells } from './dwell.ts'

/** `movements`: events in the outbox. `missing`: names without which an event was left out. */
export type Stored = { rows: number; movements: number; missing: MissingNames }

export const NOTHING_STORED: Stored = { rows: 0, movements: 0, missing: new Map() }

/**
 * Stores history rows, movements, positions and events, in the caller's transaction. Safe to repeat and to run next to another
 * replica: existing rows change nothing and make no event. Expects one observation for each asset and minute.
 */
export async function storeScans(
  tx: Tx,
  view: CatalogView,
  observations: readonly Observation[],
): Promise<Stored> {
  const current = await lockPositions(tx, observations)
  const stored = await insertScans(tx, observations)
  if (stored.length === 0) return NOTHING_STORED
  return storeAdvance(tx, view, current, advance(current, stored), stored.length)
}

/** The trace of the request that moved an asset. */
export type CauseOf = (assetId: number) => Trace | undefined

/**
 * Stores the rows of operators' saves. They overwrite the rows of their minutes and make events at once (ADR 20).
 * `current` was locked in the caller's transaction.
 */
export async function storeSaves(
  tx: Tx,
  view: CatalogView,
  current: readonly Position[],
  rows: readonly Observation[],
  causeOf?: CauseOf,
): Promise<Stored> {
  await overwriteScans(tx, rows)
  return storeAdvance(tx, view, current, advance(current, rows, 'save'), rows.length, causeOf)
}

async function storeAdvance(
  tx: Tx,
  view: CatalogView,
  current: readonly Position[],
  advanced: Advance,
  rows: number,
  causeOf?: CauseOf,
): Promise<Stored> {
  await updatePositions(tx, await recalculateDwells(tx, current, advanced))
  const { movements, arrivals, late, rewritten } = advanced
  await insertMovements(tx, arrivals)
  await repairMovements(tx, [...late, ...rewritten])
  const announced = movements.filter(({ to }) => !to.isLate)
  const events = announced.flatMap((movement) => toEvent(movement, view) ?? [])
  await enqueue(tx, assetMoved, events, causeOf && (({ asset }) => causeOf(asset.id)))
  return { rows, movements: events.length, missing: findMissingNames(announced, view) }
}

/** The positions to write: those that advanced, and those whose dwell now starts at another row. */
async function recalculateDwells(
  tx: Tx,
  current: readonly Position[],
  advanced: Advance,
): Promise<Position[]> {
  const { positions, late, replaced } = advanced
  if (late.length + replaced.length === 0) return positions
  const latest = new Map([...current, ...positions].map((position) => [position.assetId, position]))
  const starts = await findDwellStarts(tx, findBrokenDwells([...latest.values()], advanced))
  const changed = new Map(positions.map((position) => [position.assetId, position]))
  for (const [assetId, dwellStartedAtMs] of starts) {
    const position = latest.get(assetId)
    if (position) changed.set(assetId, { ...position, dwellStartedAtMs })
  }
  return [...changed.values()]
}

import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { enqueue } from '@whereabouts/db/outbox'
import type { Kysely } from 'kysely'
import type { Tables, Tx } from '../db.ts'
import { withMonths } from '../partitions/missing-months.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { toEvent } from './asset-moved.ts'
import { advance, type Advance, type Position } from './movements.ts'
import { refuseUnnamed, type Naming } from './names.ts'
import type { Observation } from './observation.ts'
import { placeSave, type Save } from './saves.ts'
import { insertScans, lockPositions, overwriteScans, updatePositions } from './scans.queries.ts'
import { findStayStarts } from './stays.queries.ts'
import { unsettle } from './stays.ts'

export type Stored = { rows: number; movements: number }

/**
 * The store step: history rows, current positions and the movements' outbox rows, in one transaction. Safe to repeat
 * and to run beside another replica: rows that are there already change nothing and announce nothing. Of one asset and
 * minute, one observation.
 */
export async function store(
  db: Kysely<Tables>,
  view: CatalogView,
  observations: readonly Observation[],
  naming: Naming = 'as known',
): Promise<Stored> {
  const work = async (tx: Tx) => {
    const current = await lockPositions(tx, observations)
    const stored = await insertScans(tx, observations)
    if (stored.length === 0) return { rows: 0, movements: 0 }
    const advanced = advance(current, stored)
    await updatePositions(tx, await settleStays(tx, current, advanced))
    return { rows: stored.length, movements: await announce(tx, view, advanced, naming) }
  }
  const instants = observations.map(({ observedAtMs }) => observedAtMs)
  return withMonths(db, instants, () => db.transaction().execute(work))
}

/**
 * The same step for an operator's save, which overwrites the row of its minute and announces at once (ADR 20). Part of
 * the caller's transaction, in which `current` was locked.
 */
export async function storeSave(
  tx: Tx,
  view: CatalogView,
  current: readonly Position[],
  save: Save,
  naming: Naming = 'as known',
): Promise<Stored> {
  return storeSaved(tx, view, current, placeSave(current, save), naming)
}

/** The same for rows of saves that have their place already. */
export async function storeSaved(
  tx: Tx,
  view: CatalogView,
  current: readonly Position[],
  rows: readonly Observation[],
  naming: Naming,
): Promise<Stored> {
  await overwriteScans(tx, rows)
  const advanced = advance(current, rows, 'save')
  await updatePositions(tx, await settleStays(tx, current, advanced))
  return { rows: rows.length, movements: await announce(tx, view, advanced, naming) }
}

/** The positions to be written: those that advanced, and those whose stay turns out to be another one. */
async function settleStays(tx: Tx, current: readonly Position[], advanced: Advance): Promise<Position[]> {
  const { positions, late, replaced } = advanced
  if (late.length + replaced.length === 0) return positions
  const latest = new Map([...current, ...positions].map((position) => [position.assetId, position]))
  const starts = await findStayStarts(tx, unsettle([...latest.values()], advanced))
  const settled = new Map(positions.map((position) => [position.assetId, position]))
  for (const [assetId, dwellStartedAtMs] of starts) {
    const position = latest.get(assetId)
    if (position) settled.set(assetId, { ...position, dwellStartedAtMs })
  }
  return [...settled.values()]
}

async function announce(tx: Tx, view: CatalogView, { movements }: Advance, naming: Naming): Promise<number> {
  if (naming === 'ask') refuseUnnamed(movements, view)
  const events = movements.flatMap((movement) => toEvent(movement, view) ?? [])
  await enqueue(tx, assetMoved, events)
  return events.length
}

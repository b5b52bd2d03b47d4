import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { enqueue } from '@whereabouts/db/outbox'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { toEvent } from './asset-moved.ts'
import { advance } from './movements.ts'
import type { Observation } from './observation.ts'
import { insertScans, lockPositions, updatePositions } from './scans.queries.ts'

export type Stored = { rows: number; movements: number }

/**
 * The store step: history rows, current positions and the movements' outbox rows, in one transaction. Safe to repeat
 * and to run beside another replica: rows that are there already change nothing and announce nothing.
 */
export async function store(
  db: Kysely<Tables>,
  view: CatalogView,
  observations: readonly Observation[],
): Promise<Stored> {
  return db.transaction().execute(async (tx) => {
    const stored = await insertScans(tx, observations)
    if (stored.length === 0) return { rows: 0, movements: 0 }
    const { positions, movements } = advance(await lockPositions(tx, stored), stored)
    await updatePositions(tx, positions)
    const events = movements.flatMap((movement) => toEvent(movement, view) ?? [])
    await enqueue(tx, assetMoved, events)
    return { rows: stored.length, movements: events.length }
  })
}

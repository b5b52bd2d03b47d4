import type { AssetIdentity, LocationPlace } from '@whereabouts/contracts/messages/catalog-state'
import { sql } from 'kysely'
import type { Tx } from '../db.ts'
import { bigints } from '@whereabouts/db/array-parameters'
import { upsertAssets, upsertLocations } from '../projections/projections.queries.ts'

/**
 * Stores states from a reply of catalog in the projection tables, because reports join them and must show a save once
 * it is answered (D8.5). Does not touch or lock rows that are as new. Call under `lockPositions`.
 */
export async function storeStates(
  tx: Tx,
  orgId: number,
  assets: readonly AssetIdentity[],
  location: LocationPlace,
): Promise<void> {
  await upsertLocations(tx, await newer(tx, orgId, 'location', [location]))
  await upsertAssets(tx, await newer(tx, orgId, 'asset', assets))
}

async function newer<T extends { id: number; revision: number }>(
  tx: Tx,
  orgId: number,
  table: 'asset' | 'location',
  states: readonly T[],
): Promise<T[]> {
  const { rows } = await sql<{ id: number }>`
    select t.id from ${sql.table(table)} t
    join unnest(${bigints(states.map((s) => s.id))}, ${bigints(states.map((s) => s.revision))}) as n (id, revision)
      on t.id = n.id and t.revision >= n.revision
    where t.org_id = ${orgId}`.execute(tx)
  const known = new Set(rows.map((row) => row.id))
  return states.filter((state) => !known.has(state.id))
}

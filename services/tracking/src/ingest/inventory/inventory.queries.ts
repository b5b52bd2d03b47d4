import type { AssetIdentity, LocationPlace } from '@whereabouts/contracts/messages/catalog-state'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { upsertAssets, upsertLocations } from '../../catalog/projections.queries.ts'

/**
 * Stores states from replies of catalog in the projection tables, because reports join them and must show a save once
 * it is answered (D8.5). Does not touch or lock rows that are as new. Call under `lockPositions`.
 */
export async function storeStates(
  tx: Tx,
  orgId: number,
  assets: readonly AssetIdentity[],
  locations: readonly LocationPlace[],
): Promise<void> {
  const known = await findKnownIds(tx, orgId, assets, locations)
  const isNewer = ({ id }: State) => !known.has(id)
  await upsertLocations(tx, locations.filter(isNewer))
  await upsertAssets(tx, assets.filter(isNewer))
}

type State = { id: number; revision: number }

/** Those whose stored state is at least as new. An id is unique across assets and locations. */
async function findKnownIds(
  tx: Tx,
  orgId: number,
  assets: readonly State[],
  locations: readonly State[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`${fixedPlan}
    ${knownOf(orgId, 'asset', assets)} union all ${knownOf(orgId, 'location', locations)}`.execute(tx)
  return new Set(rows.map((row) => row.id))
}

const knownOf = (orgId: number, table: 'asset' | 'location', states: readonly State[]) => sql`
  select n.id from unnest(${bigints(states.map((s) => s.id))}, ${bigints(states.map((s) => s.revision))}) as n (id, revision)
  cross join lateral (
    select from ${sql.table(table)} t where t.org_id = ${orgId} and t.id = n.id and t.revision >= n.revision offset 0) known`

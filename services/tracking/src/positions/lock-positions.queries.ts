import { bigints } from '@whereabouts/db/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../db.ts'
import { epochMinute, epochMs } from '../sql-times.ts'
import type { AssetKey, Position } from './position.ts'

/**
 * Locks the positions of the assets until the transaction ends, and returns them. Every writer of rows locks first,
 * so that the changes of one asset have an order. The order of the keys prevents deadlocks. For an asset without a
 * position, it inserts and locks a row at minus infinity, which it does not return.
 */
export async function lockPositions(tx: Tx, assets: readonly AssetKey[]): Promise<Position[]> {
  const unique = [...new Map(assets.map((a) => [a.assetId, a])).values()]
  const keys = sql`unnest(${bigints(unique.map((a) => a.orgId))}, ${bigints(unique.map((a) => a.assetId))}) as k (org_id, asset_id)`
  await sql`
    insert into position (org_id, asset_id, minute, observed_at)
    select org_id, asset_id, '-infinity', '-infinity' from ${keys}
    where not exists (select from position p where p.org_id = k.org_id and p.asset_id = k.asset_id)
    order by org_id, asset_id
    on conflict (org_id, asset_id) do nothing`.execute(tx)
  const { rows } = await sql<PositionRow>`
    select p.org_id, p.asset_id, p.location_id, isfinite(p.minute) as seen,
           case when isfinite(p.minute) then ${epochMinute('p.minute')} end as minute,
           case when isfinite(p.minute) then ${epochMs('p.observed_at')} end as observed_at_ms,
           ${epochMs('p.dwell_started_at')} as dwell_started_at_ms
    from position p join ${keys} using (org_id, asset_id)
    order by p.org_id, p.asset_id for update of p`.execute(tx)
  return rows.filter((row) => row.seen).map(toPosition)
}

type PositionRow = {
  org_id: number
  asset_id: number
  location_id: number | null
  seen: boolean
  minute: number
  observed_at_ms: number
  dwell_started_at_ms: number | null
}

const toPosition = (row: PositionRow): Position => ({
  orgId: row.org_id,
  assetId: row.asset_id,
  minute: row.minute,
  observedAtMs: row.observed_at_ms,
  locationId: row.location_id,
  dwellStartedAtMs: row.dwell_started_at_ms,
})

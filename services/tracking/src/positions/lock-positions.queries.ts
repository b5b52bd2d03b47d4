import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../db.ts'
import { epochMinute, epochMs } from '../sql-times.ts'
import type { Evidence } from './evidence.ts'
import type { AssetKey, Position } from './position.ts'

export type LockOptions = {
  /** How long a statement of the transaction waits for a lock before it fails. */
  maxWaitMs?: number
}

/**
 * Locks the positions of the assets until the transaction ends, and returns them. Every writer of rows locks first,
 * so that the changes of one asset have an order. The order of the keys prevents deadlocks. For an asset without a
 * position, it inserts and locks a row at minus infinity, which it does not return. It also turns off the trigger of
 * migration 0070, because every writer of rows writes their movements too.
 *
 * If a position is missing, the first statement locks nothing, because an insert under other locks could deadlock.
 */
export async function lockPositions(
  tx: Tx,
  assets: readonly AssetKey[],
  { maxWaitMs }: LockOptions = {},
): Promise<Position[]> {
  const unique = [...new Map(assets.map((a) => [a.assetId, a])).values()]
  const keys = sql`unnest(${bigints(unique.map((a) => a.orgId))}, ${bigints(unique.map((a) => a.assetId))}) as k (org_id, asset_id)`
  // Subqueries, so that they run once and before the first lock.
  const writesMovements = sql`(select set_config('whereabouts.writes_movements', 'on', true)) is not null`
  const limit =
    maxWaitMs === undefined
      ? writesMovements
      : sql`(select set_config('lock_timeout', ${String(maxWaitMs)}, true)) is not null and ${writesMovements}`
  const lock = async (condition: RawBuilder<unknown>) => {
    const { rows } = await sql<PositionRow>`
      select p.org_id, p.asset_id, p.location_id, isfinite(p.minute) as seen,
             case when isfinite(p.minute) then ${epochMinute('p.minute')} end as minute,
             case when isfinite(p.minute) then ${epochMs('p.observed_at')} end as observed_at_ms,
             ${epochMs('p.dwell_started_at')} as dwell_started_at_ms, p.evidence
      from position p join ${keys} using (org_id, asset_id)
      where ${condition} and ${limit}
      order by p.org_id, p.asset_id for update of p`.execute(tx)
    return rows
  }
  const all = sql`(select count(*) from position join ${keys} using (org_id, asset_id)) = ${unique.length}`
  let rows = await lock(all)
  if (rows.length < unique.length) {
    await insertMissing(tx, keys)
    rows = await lock(sql`true`)
  }
  return rows.filter((row) => row.seen).map(toPosition)
}

async function insertMissing(tx: Tx, keys: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into position (org_id, asset_id, minute, observed_at)
    select org_id, asset_id, '-infinity', '-infinity' from ${keys}
    where not exists (select from position p where p.org_id = k.org_id and p.asset_id = k.asset_id)
    order by org_id, asset_id
    on conflict (org_id, asset_id) do nothing`.execute(tx)
}

type PositionRow = {
  org_id: number
  asset_id: number
  location_id: number | null
  seen: boolean
  minute: number
  observed_at_ms: number
  dwell_started_at_ms: number | null
  evidence: Evidence | null
}

const toPosition = (row: PositionRow): Position => ({
  orgId: row.org_id,
  assetId: row.asset_id,
  minute: row.minute,
  observedAtMs: row.observed_at_ms,
  locationId: row.location_id,
  dwellStartedAtMs: row.dwell_started_at_ms,
  evidence: row.evidence,
})

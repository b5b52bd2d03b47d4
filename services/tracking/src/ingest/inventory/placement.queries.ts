import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { AssetKey } from '../../positions/position.ts'
import { epochMs, instant, minuteTime } from '../../sql-times.ts'
import { minuteOf } from '../../positions/observation.ts'
import { OldDays } from '../../positions/packed/old-days.ts'

/** Instant of the asset's last recorded placement, in milliseconds. Call under `lockPositions`. */
export async function lastPlacedAt(tx: Tx, { orgId, assetId }: AssetKey): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select ${epochMs('placed_at')} as ms from placement
    where org_id = ${orgId} and asset_id = ${assetId}`.execute(tx)
  return rows[0]?.ms
}

export async function recordPlacedAt(tx: Tx, { orgId, assetId }: AssetKey, atMs: number): Promise<void> {
  await sql`
    insert into placement (org_id, asset_id, placed_at)
    select ${orgId}, ${assetId}, ${instant('n.ms')} from (select ${atMs}::bigint as ms) n
    on conflict (org_id, asset_id) do update set placed_at = greatest(placement.placed_at, excluded.placed_at)`.execute(
    tx,
  )
}

/** The history row of the minute of `atMs`. Only saves have no reader. */
export async function findRowOfMinute(
  tx: Tx,
  { orgId, assetId }: AssetKey,
  atMs: number,
): Promise<{ observedAtMs: number; isSave: boolean } | undefined> {
  const key = { orgId, assetId, minute: minuteOf(atMs) }
  const old = new OldDays(tx)
  const { packed } = await old.split([key])
  const row = old.rowAt(key)
  if (packed.length > 0)
    return row && { observedAtMs: Math.floor(row.at / 1_000), isSave: row.reader_key === null }
  const { rows } = await sql<{ observedAtMs: number; isSave: boolean }>`
    select ${epochMs('s.observed_at')} as "observedAtMs", s.reader_key is null as "isSave"
    from scan s join (select ${minuteOf(atMs)}::bigint as n) m on s.minute = ${minuteTime('m.n')}
    where s.org_id = ${orgId} and s.asset_id = ${assetId}`.execute(tx)
  return rows[0]
}

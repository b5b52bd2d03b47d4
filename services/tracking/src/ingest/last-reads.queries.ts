import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { AssetKey } from '../positions/position.ts'
import { epochMinute, instant } from '../sql-times.ts'

/** Assets with a read that waits and is due to become an observation of the next minute. The oldest first. */
export async function findDueToCarry(
  db: Db,
  nowMs: number,
  limit: number,
): Promise<(AssetKey & { minute: number })[]> {
  const { rows } = await sql<AssetKey & { minute: number }>`
    select org_id as "orgId", asset_id as "assetId", ${epochMinute('minute')} as minute
    from position, (select ${nowMs}::bigint as ms) n
    where carry_at <= ${instant('n.ms')} order by carry_at limit ${limit}`.execute(db)
  return rows
}

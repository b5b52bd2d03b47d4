import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../src/db.ts'
import type { Evidence } from '../../src/positions/evidence.ts'
import type { AssetKey } from '../../src/positions/position.ts'
import { epochMs } from '../../src/sql-times.ts'

type Row = { minute: string; ms: number; observed_at: string; location_id: number | null }

/**
 * What `eraseHistory` has to do, in the plainest way, for a history that was never packed: filters all rows of the asset in memory,
 * and derives the movements and the position from those that are left.
 */
export async function eraseReference(
  db: Kysely<Tables>,
  { orgId, assetId }: AssetKey,
  { from = -Infinity, to = Infinity }: { from?: number | undefined; to?: number | undefined },
): Promise<{ rows: number; movements: number }> {
  const own = sql`org_id = ${orgId} and asset_id = ${assetId}`
  const isErased = (ms: number) => ms >= from && ms <= to
  // A change of rows locks the position, which is there from then on.
  await sql`insert into position (org_id, asset_id, minute, observed_at)
    values (${orgId}, ${assetId}, '-infinity', '-infinity') on conflict do nothing`.execute(db)
  const { rows: all } = await sql<Row>`
    select minute::text as minute, ${epochMs('observed_at')} as ms, observed_at::text as observed_at, location_id
    from scan where ${own} order by scan.minute`.execute(db)
  const kept = all.filter(({ ms }) => !isErased(ms))
  for (const { minute } of all.filter(({ ms }) => isErased(ms)))
    await sql`delete from scan where ${own} and minute = ${minute}::timestamptz`.execute(db)
  const { rows: moved } = await sql<{ ms: number }>`
    delete from movement where ${own} returning ${epochMs('observed_at')} as ms`.execute(db)
  for (const [i, row] of kept.entries()) {
    const before = kept[i - 1]?.location_id ?? null
    if (row.location_id !== null && row.location_id !== before)
      await sql`insert into movement values (${orgId}, ${assetId}, ${row.minute}, ${row.observed_at}, ${before}, ${row.location_id})`.execute(
        db,
      )
  }
  const counts = {
    rows: all.length - kept.length,
    movements: moved.filter(({ ms }) => isErased(ms)).length,
  }
  const { rows } = await sql<{ ms: number; evidence: Evidence | null }>`
    select ${epochMs('observed_at')} as ms, evidence from position where ${own} and isfinite(minute)`.execute(
    db,
  )
  const [position] = rows
  if (!position) return counts
  const wasRead = position.evidence?.last !== undefined && isErased(position.evidence.last.at)
  if (isErased(position.ms) || wasRead)
    await sql`update position set evidence = null, carry_at = null where ${own}`.execute(db)
  const newest = kept.at(-1)
  if (!newest) {
    await sql`update position set minute = '-infinity', observed_at = '-infinity', location_id = null,
      dwell_started_at = null where ${own}`.execute(db)
    return counts
  }
  if (counts.rows === 0) return counts
  const elsewhere = kept.findLastIndex(({ location_id }) => location_id !== newest.location_id)
  const dwell = newest.location_id === null ? null : (kept[elsewhere + 1]?.observed_at ?? null)
  await sql`update position set minute = ${newest.minute}, observed_at = ${newest.observed_at},
    location_id = ${newest.location_id}, dwell_started_at = ${dwell} where ${own}`.execute(db)
  return counts
}

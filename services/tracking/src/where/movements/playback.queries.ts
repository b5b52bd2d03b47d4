import { sql } from 'kysely'
import type { Db } from '../../db.ts'

export type Moved = { at: number; asset_id: number; location_id: number }

/** The movements after `fromMs` and until `toMs`, oldest first, `most` of them. `at`: milliseconds since 1970. */
export async function readMoved(
  db: Db,
  orgId: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  most: number,
): Promise<Moved[]> {
  const [from, to] = [fromMs, toMs].map((ms) => sql`${new Date(ms).toISOString()}::timestamptz`)
  const { rows } = await sql<Moved>`
    select floor(extract(epoch from observed_at) * 1000)::bigint as at, asset_id, to_location_id as location_id
    from movement
    where org_id = ${orgId} and minute >= date_trunc('minute', ${from}, 'UTC') and minute <= ${to}
      and observed_at > ${from} and observed_at <= ${to}
    order by minute, observed_at, asset_id limit ${most}`.execute(db)
  return rows
}

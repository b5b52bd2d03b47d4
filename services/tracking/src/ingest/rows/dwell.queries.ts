import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { BrokenDwells } from './dwell.ts'
import { epochMs, minuteTime } from '../../sql-times.ts'

type Start = { asset_id: number; ms: number }

/**
 * Asset → start of its dwell in milliseconds, if it was found. Call under `lockPositions`, after the rows are stored.
 */
export async function findDwellStarts(
  tx: Tx,
  { broken, longer }: BrokenDwells,
): Promise<Map<number, number>> {
  const starts = [...(await firstAfter(tx, broken)), ...(await firstOfLonger(tx, longer))]
  return new Map(starts.map(({ asset_id, ms }) => [asset_id, ms]))
}

const [HOUR, DAY] = [60, 1_440]
/** The most rows that one transaction reads: about a second. */
const MAX_ROWS = 1_500_000

async function firstAfter(tx: Tx, broken: BrokenDwells['broken']): Promise<Start[]> {
  if (broken.length === 0) return []
  const { rows } = await sql<Start>`${fixedPlan}
    select k.asset_id, ${epochMs('first.observed_at')} as ms
    from unnest(
      ${bigints(broken.map((b) => b.orgId))}, ${bigints(broken.map((b) => b.assetId))},
      ${bigints(broken.map((b) => b.minute))}
    ) as k (org_id, asset_id, minute)
    cross join lateral (
      select s.observed_at from scan s
      where s.org_id = k.org_id and s.asset_id = k.asset_id and s.minute > ${minuteTime('k.minute')}
      order by s.minute limit 1
    ) first`.execute(tx)
  return rows
}

/**
 * Reads back one day, because a late scan is at most one day old (D8.6), and less if thousands of dwells grow at
 * once. So it never reads months of rows if one late row joins an earlier dwell to this one.
 */
async function firstOfLonger(tx: Tx, longer: BrokenDwells['longer']): Promise<Start[]> {
  if (longer.length === 0) return []
  const minutes = Math.min(DAY, Math.max(HOUR, Math.floor(MAX_ROWS / longer.length)))
  const back = sql`k.minute - ${minutes}::int * interval '1 minute'`
  const { rows } = await sql<Start>`${fixedPlan}
    select k.asset_id, ${epochMs('first.observed_at')} as ms
    from (
      select org_id, asset_id, ${minuteTime('minute')} as minute, location_id from unnest(
        ${bigints(longer.map((l) => l.orgId))}, ${bigints(longer.map((l) => l.assetId))},
        ${bigints(longer.map((l) => l.minute))}, ${bigints(longer.map((l) => l.locationId))}
      ) as u (org_id, asset_id, minute, location_id)
    ) k
    left join lateral (
      select s.minute from scan s
      where s.org_id = k.org_id and s.asset_id = k.asset_id and s.minute < k.minute
        and s.minute >= ${back} and s.location_id is distinct from k.location_id
      order by s.minute desc limit 1
    ) elsewhere on true
    cross join lateral (
      select s.observed_at from scan s
      where s.org_id = k.org_id and s.asset_id = k.asset_id and s.minute < k.minute
        and s.minute >= ${back} and s.minute > coalesce(elsewhere.minute, '-infinity')
      order by s.minute limit 1
    ) first`.execute(tx)
  return rows
}

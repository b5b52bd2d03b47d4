import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { BrokenDwells } from './dwell.ts'
import type { OldDays, OldRow } from '../../positions/packed/old-days.ts'
import { PACKED_UNTIL } from '../../positions/packed/packing-state.queries.ts'
import { epochMinute, epochMs, minuteTime } from '../../sql-times.ts'

type Start = { asset_id: number; ms: number }

/**
 * Asset → start of its dwell in milliseconds, if it was found. Call under `lockPositions`, after the rows are stored.
 */
export async function findDwellStarts(
  tx: Tx,
  old: OldDays,
  { broken, longer }: BrokenDwells,
): Promise<Map<number, number>> {
  const starts = [...(await firstAfter(tx, old, broken)), ...(await firstOfLonger(tx, old, longer))]
  return new Map(starts.map(({ asset_id, ms }) => [asset_id, ms]))
}

const [HOUR, DAY] = [60, 1_440]
/** The most rows that one transaction reads: about a second. */
const MAX_ROWS = 1_500_000

async function firstAfter(tx: Tx, old: OldDays, all: BrokenDwells['broken']): Promise<Start[]> {
  const { packed, rows: broken } = await old.split(all)
  const ofOldDays = packed.flatMap((one) => {
    const first = old.rowAfter(one)
    return first ? [{ asset_id: one.assetId, ms: first.observedAtMs }] : []
  })
  if (broken.length === 0) return ofOldDays
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
  return [...ofOldDays, ...rows]
}

/**
 * Reads back one day, because a late scan is at most one day old (D8.6), and less if thousands of dwells grow at
 * once. So it never reads months of rows if one late row joins an earlier dwell to this one.
 */
async function firstOfLonger(tx: Tx, old: OldDays, all: BrokenDwells['longer']): Promise<Start[]> {
  if (all.length === 0) return []
  const { packed } = await old.split(all.map((dwell) => ({ ...dwell, dwell, minute: dwell.minute - DAY })))
  const ofOldDays: Start[] = []
  for (const { dwell } of packed) ofOldDays.push(...(await firstOfOldDwell(tx, old, dwell)))
  const isOld = new Set(packed.map(({ dwell }) => dwell))
  const longer = all.filter((dwell) => !isOld.has(dwell))
  if (longer.length === 0) return ofOldDays
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
  return [...ofOldDays, ...rows]
}

/** The first row of a dwell whose day before it is packed: rows of `scan` and then packed ones, from the newest. */
async function firstOfOldDwell(
  tx: Tx,
  old: OldDays,
  dwell: BrokenDwells['longer'][number],
): Promise<Start[]> {
  const { orgId, assetId, minute, locationId } = dwell
  await old.split([dwell])
  const { rows } = await sql<OldRow>`
    select ${epochMinute('s.minute')} as minute, ${epochMs('s.observed_at')} as "observedAtMs", s.location_id as "locationId"
    from scan s, (select ${minute}::bigint as n) k
    where s.org_id = ${orgId} and s.asset_id = ${assetId} and s.minute < ${minuteTime('k.n')} and s.minute >= ${PACKED_UNTIL}
    order by s.minute desc`.execute(tx)
  let first: OldRow | undefined
  const isOfDwell = (row: OldRow | undefined): row is OldRow =>
    row !== undefined && row.locationId === locationId && row.minute >= minute - DAY
  const elsewhere = rows.findIndex((row) => !isOfDwell(row))
  first = elsewhere === -1 ? rows.at(-1) : rows[elsewhere - 1]
  if (elsewhere === -1) {
    const before = (at: number) => old.rowUpTo({ orgId, assetId, minute: at - 1 })
    for (let row = before(first?.minute ?? minute); isOfDwell(row); row = before(row.minute)) first = row
  }
  return first ? [{ asset_id: assetId, ms: first.observedAtMs }] : []
}

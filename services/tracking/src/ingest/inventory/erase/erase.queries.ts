import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../../../db.ts'
import { epochMinute, epochMs, minuteTime } from '../../../sql-times.ts'
import type { Minute } from '../../../positions/observation.ts'
import { unpackDay } from '../../../positions/packed/day-codec.ts'
import { dayOf, type Day } from '../../../positions/packed/day-rows.ts'
import type { OldRow } from '../../../positions/packed/old-days.ts'
import { storeDays } from '../../../positions/packed/pack-rows.queries.ts'
import { DAY_NUMBER, PACKED, type StoredDay } from '../../../positions/packed/packed-days.queries.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../../positions/packed/packing-state.queries.ts'
import type { AssetKey, Position } from '../../../positions/position.ts'

/** Instants of `parseInstant` and the same in microseconds since 1970, both ends included. Undefined: no bound. */
export type Bounds = {
  from: { text: string; us: number } | undefined
  to: { text: string; us: number } | undefined
}

/** Days are not declared packed before the transaction ends. Minus infinity if none is. */
export async function lockPacking(tx: Tx): Promise<Minute> {
  const { rows } = await sql<{ minute: Minute | null }>`
    select case when isfinite(packed_until) then ${epochMinute('packed_until')} end as minute
    from history_packing for key share`.execute(tx)
  return rows[0]?.minute ?? -Infinity
}

const rowsOf = ({ orgId, assetId }: AssetKey, { from, to }: Bounds): RawBuilder<unknown> => {
  const since =
    from &&
    sql`and minute >= date_trunc('minute', ${from.text}::timestamptz) and observed_at >= ${from.text}::timestamptz`
  const until = to && sql`and minute <= ${to.text}::timestamptz and observed_at <= ${to.text}::timestamptz`
  return sql`org_id = ${orgId} and asset_id = ${assetId} ${since ?? sql``} ${until ?? sql``}`
}

/** Also rows that are packed and wait to be dropped. Days that are being packed are packed again. Returns the rows that counted. */
export async function deleteScans(tx: Tx, key: AssetKey, bounds: Bounds): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with gone as (delete from scan where ${rowsOf(key, bounds)} returning minute),
    counted as (select minute from gone where minute >= ${PACKED_UNTIL}),
    days as (select distinct (minute at time zone 'UTC')::date as day from counted),
    touched as (
      insert into history_touched (org_id, asset_id, day)
      select ${key.orgId}, ${key.assetId}, day from days order by day
      on conflict (day, org_id, asset_id) do update set day = excluded.day),
    unpacked as (
      delete from day_packed d using days
      where d.org_id = ${key.orgId} and d.asset_id = ${key.assetId} and d.day = days.day)
    select count(*)::int as n from counted`.execute(tx)
  return rows[0]?.n ?? 0
}

/** A day that the range cuts is packed again without the rows. Returns their number. */
export async function deletePackedDays(tx: Tx, key: AssetKey, { from, to }: Bounds): Promise<number> {
  const ends = [from, to].flatMap((end) => (end ? [dayOf(end.us / 1_000)] : []))
  const whole = await sql<{ n: number }>`
    delete from day_packed d where ${packedDays(key)}
      ${from ? sql`and ${DAY_NUMBER} > ${ends[0]}` : sql``} ${to ? sql`and ${DAY_NUMBER} < ${ends.at(-1)}` : sql``}
    returning n`.execute(tx)
  let rows = whole.rows.reduce((sum, { n }) => sum + n, 0)
  if (ends.length === 0) return rows
  const cut = await sql<StoredDay>`
    select ${DAY_NUMBER} as day, ${PACKED} from day_packed d
    where ${packedDays(key)} and ${DAY_NUMBER} = any(${ends}::int[])`.execute(tx)
  for (const stored of cut.rows) {
    const all = unpackDay(stored.day, stored)
    const kept = all.filter(({ at }) => at < (from?.us ?? -Infinity) || at > (to?.us ?? Infinity))
    rows += all.length - kept.length
    if (kept.length === 0) await deleteDay(tx, key, stored.day)
    else if (kept.length < all.length)
      await storeDays(tx, [{ org_id: key.orgId, asset_id: key.assetId, day: stored.day, rows: kept }])
  }
  return rows
}

const packedDays = ({ orgId, assetId }: AssetKey) =>
  sql`d.org_id = ${orgId} and d.asset_id = ${assetId} and d.day < ${PACKED_UNTIL_DAY}`

const deleteDay = (tx: Tx, key: AssetKey, day: Day) =>
  sql`delete from day_packed d where ${packedDays(key)} and ${DAY_NUMBER} = ${day}`.execute(tx)

export async function deleteMovements(tx: Tx, key: AssetKey, bounds: Bounds): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from movement where ${rowsOf(key, bounds)}`.execute(tx)
  return Number(numAffectedRows)
}

/** The first row after a minute that is not packed. */
export async function findFirstScanAfter(
  tx: Tx,
  { orgId, assetId, minute }: AssetKey & { minute: Minute },
): Promise<OldRow | undefined> {
  const { rows } = await sql<OldRow>`
    select ${epochMinute('s.minute')} as minute, ${epochMs('s.observed_at')} as "observedAtMs", s.location_id as "locationId"
    from scan s, (select ${minute}::bigint as n) k
    where s.org_id = ${orgId} and s.asset_id = ${assetId} and s.minute > ${minuteTime('k.n')}
    order by s.minute limit 1`.execute(tx)
  return rows[0]
}

/** When the asset moved last, in milliseconds. */
export async function findLastMovement(tx: Tx, { orgId, assetId }: AssetKey): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select ${epochMs('m.observed_at')} as ms from movement m
    where m.org_id = ${orgId} and m.asset_id = ${assetId} order by m.minute desc limit 1`.execute(tx)
  return rows[0]?.ms
}

/** Unlike `updatePositions`, also to an older row. Without its evidence, nothing waits. */
export async function replacePosition(tx: Tx, position: Position, keepsEvidence: boolean): Promise<void> {
  const { orgId, assetId, minute, observedAtMs, locationId, dwellStartedAtMs } = position
  await sql`
    update position p set
      minute = ${minuteTime('n.minute')}, observed_at = timestamptz 'epoch' + n.ms * interval '1 millisecond',
      location_id = n.location_id, dwell_started_at = timestamptz 'epoch' + n.dwell * interval '1 millisecond',
      evidence = case when n.keeps then p.evidence end, carry_at = case when n.keeps then p.carry_at end
    from (select ${minute}::bigint as minute, ${observedAtMs}::bigint as ms, ${locationId}::bigint as location_id,
      ${dwellStartedAtMs}::bigint as dwell, ${keepsEvidence}::boolean as keeps) n
    where p.org_id = ${orgId} and p.asset_id = ${assetId}`.execute(tx)
}

/** As if the asset had never been seen. */
export async function forgetPosition(tx: Tx, { orgId, assetId }: AssetKey): Promise<void> {
  await sql`
    update position set minute = '-infinity', observed_at = '-infinity', location_id = null, dwell_started_at = null,
      evidence = null, carry_at = null
    where org_id = ${orgId} and asset_id = ${assetId}`.execute(tx)
  await sql`delete from asset_place where org_id = ${orgId} and asset_id = ${assetId}`.execute(tx)
  await sql`update asset set is_scanned = false where org_id = ${orgId} and id = ${assetId} and is_scanned`.execute(
    tx,
  )
}

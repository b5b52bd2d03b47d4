import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../db.ts'
import type { Position } from './movements.ts'
import type { Observation } from './observation.ts'
import { bigints, epochMinute, epochMs, instant, minuteTime } from './sql-times.ts'

export type AssetKey = { orgId: number; assetId: number }

/**
 * Locks the positions of the assets until the transaction ends and returns them. Every writer of rows begins here, so
 * that what happens to one asset happens in some order, and in the order of the keys, so that writers never wait for
 * each other in a circle. An asset that was never seen gets a row first, at minus infinity and not returned, so that
 * there is something to lock.
 */
export async function lockPositions(tx: Tx, assets: readonly AssetKey[]): Promise<Position[]> {
  const unique = [...new Map(assets.map((a) => [a.assetId, a])).values()]
  const keys = sql`unnest(${bigints(unique.map((a) => a.orgId))}, ${bigints(unique.map((a) => a.assetId))}) as k (org_id, asset_id)`
  await sql`
    insert into position (org_id, asset_id, minute, observed_at)
    select org_id, asset_id, '-infinity', '-infinity' from ${keys} order by org_id, asset_id
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

/**
 * Stores the observations and returns those that became a row: their asset and minute had none yet, or one without a
 * location and they have one, since a minute records the first location observed in it. Of one asset and minute, one
 * observation. Call under `lockPositions`.
 */
export async function insertScans(tx: Tx, observations: readonly Observation[]): Promise<Observation[]> {
  const { rows } = await sql<RowKey>`
    insert into scan (${columns}) ${rowsOf(observations)}
    on conflict (org_id, asset_id, minute) do nothing
    returning asset_id, ${epochMinute('minute')} as minute`.execute(tx)
  const inserted = matching(observations, rows)
  if (inserted.length === observations.length) return inserted
  const isNew = new Set(inserted)
  const rest = observations.filter((o) => !isNew.has(o) && o.locationId !== null)
  return rest.length === 0 ? inserted : [...inserted, ...(await placeScans(tx, rest))]
}

/** Separate from the insert, which would otherwise lock, and so write, every row that is there already. */
async function placeScans(tx: Tx, observations: readonly Observation[]): Promise<Observation[]> {
  const { rows } = await sql<RowKey>`
    update scan s set
      observed_at = n.observed_at, location_id = n.location_id, reader_key = n.reader_key, antenna = n.antenna
    from (${rowsOf(observations)}) n
    where s.org_id = n.org_id and s.asset_id = n.asset_id and s.minute = n.minute and s.location_id is null
    returning s.asset_id, ${epochMinute('s.minute')} as minute`.execute(tx)
  return matching(observations, rows)
}

/** Stores the observations, whatever is there: an operator's word counts for its minute. */
export async function overwriteScans(tx: Tx, observations: readonly Observation[]): Promise<void> {
  await sql`
    insert into scan (${columns}) ${rowsOf(observations)}
    on conflict (org_id, asset_id, minute) do update set
      observed_at = excluded.observed_at, location_id = excluded.location_id, reader_key = excluded.reader_key,
      antenna = excluded.antenna`.execute(tx)
}

type RowKey = { asset_id: number; minute: number }

function matching(observations: readonly Observation[], rows: readonly RowKey[]): Observation[] {
  const keys = new Set(rows.map((row) => `${row.asset_id} ${row.minute}`))
  return observations.filter((o) => keys.has(`${o.assetId} ${o.minute}`))
}

const columns = sql.raw('org_id, asset_id, minute, observed_at, location_id, reader_key, antenna')

const rowsOf = (rows: readonly Observation[]): RawBuilder<unknown> => sql`
  select org_id, asset_id, ${minuteTime('minute')} as minute, ${instant('observed_at')} as observed_at, location_id,
         reader_key, antenna
  from unnest(
    ${bigints(rows.map((o) => o.orgId))}, ${bigints(rows.map((o) => o.assetId))},
    ${bigints(rows.map((o) => o.minute))}, ${bigints(rows.map((o) => o.observedAtMs))},
    ${bigints(rows.map((o) => o.locationId))}, ${rows.map((o) => o.readerKey)}::text[],
    ${rows.map((o) => o.antenna)}::int[]
  ) as u (${columns})`

/** Call under `lockPositions`. The guard on the minute holds even so: the current position never steps back. */
export async function updatePositions(tx: Db, positions: readonly Position[]): Promise<void> {
  if (positions.length === 0) return
  await sql`
    update position p set
      minute = ${minuteTime('n.minute')}, observed_at = ${instant('n.observed_at')}, location_id = n.location_id,
      dwell_started_at = ${instant('n.dwell_started_at')}
    from unnest(
      ${bigints(positions.map((p) => p.orgId))}, ${bigints(positions.map((p) => p.assetId))},
      ${bigints(positions.map((p) => p.minute))}, ${bigints(positions.map((p) => p.observedAtMs))},
      ${bigints(positions.map((p) => p.locationId))}, ${bigints(positions.map((p) => p.dwellStartedAtMs))}
    ) as n (org_id, asset_id, minute, observed_at, location_id, dwell_started_at)
    where p.org_id = n.org_id and p.asset_id = n.asset_id and p.minute <= ${minuteTime('n.minute')}`.execute(
    tx,
  )
}

import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../db.ts'
import type { Position } from './movements.ts'
import type { Observation } from './observation.ts'

// Milliseconds become timestamps by integer arithmetic: to_timestamp() takes a double and may end up a microsecond
// short, which would read back as the millisecond before.
const instant = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 millisecond'`)
const minuteTime = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 minute'`)

const bigints = (values: readonly (number | null)[]): RawBuilder<unknown> => sql`${values}::bigint[]`

/**
 * Stores the observations whose asset and minute have no row yet and returns those. Sorted by key, so that two
 * replicas storing the same rows wait for each other in one order and never in a circle.
 */
export async function insertScans(tx: Tx, observations: readonly Observation[]): Promise<Observation[]> {
  const sorted = observations.toSorted(
    (a, b) => a.orgId - b.orgId || a.assetId - b.assetId || a.minute - b.minute,
  )
  const { rows } = await sql<{ asset_id: number; minute: number }>`
    insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
    select org_id, asset_id, ${minuteTime('minute')}, ${instant('observed_at')}, location_id, reader_key, antenna
    from unnest(
      ${bigints(sorted.map((o) => o.orgId))}, ${bigints(sorted.map((o) => o.assetId))},
      ${bigints(sorted.map((o) => o.minute))}, ${bigints(sorted.map((o) => o.observedAtMs))},
      ${bigints(sorted.map((o) => o.locationId))}, ${sorted.map((o) => o.readerKey)}::text[],
      ${sorted.map((o) => o.antenna)}::int[]
    ) as n (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
    on conflict (org_id, asset_id, minute) do nothing
    returning asset_id, (extract(epoch from minute) / 60)::bigint as minute`.execute(tx)
  const stored = new Set(rows.map((row) => `${row.asset_id} ${row.minute}`))
  return sorted.filter((o) => stored.has(`${o.assetId} ${o.minute}`))
}

type Key = { orgId: number; assetId: number }

/**
 * Locks the positions of the assets until the transaction ends and returns them. An asset that was never seen gets a
 * row first, at minus infinity and not returned, so that there is something to lock.
 */
export async function lockPositions(tx: Tx, assets: readonly Key[]): Promise<Position[]> {
  const unique = [...new Map(assets.map((a) => [a.assetId, a])).values()]
  const keys = sql`unnest(${bigints(unique.map((a) => a.orgId))}, ${bigints(unique.map((a) => a.assetId))}) as k (org_id, asset_id)`
  await sql`
    insert into position (org_id, asset_id, minute, observed_at)
    select org_id, asset_id, '-infinity', '-infinity' from ${keys} order by org_id, asset_id
    on conflict (org_id, asset_id) do nothing`.execute(tx)
  const { rows } = await sql<PositionRow>`
    select p.org_id, p.asset_id, p.location_id, isfinite(p.minute) as seen,
           case when isfinite(p.minute) then (extract(epoch from p.minute) / 60)::bigint end as minute,
           case when isfinite(p.minute) then (extract(epoch from p.observed_at) * 1000)::bigint end as observed_at_ms,
           (extract(epoch from p.dwell_started_at) * 1000)::bigint as dwell_started_at_ms
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
    where p.org_id = n.org_id and p.asset_id = n.asset_id and p.minute < ${minuteTime('n.minute')}`.execute(
    tx,
  )
}

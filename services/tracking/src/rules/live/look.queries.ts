import { bigints, instants } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'

type Arrival = { assetId: number; atMs: number; fromId: number | null; toId: number }

/** Movements of an asset that are read first, and how many times more are read each time that these were not enough. */
const FIRST = 4
const MORE = 4

/**
 * Since when each of these assets has been in the places of a rule without a break. Walks back over their movements; one whose first
 * movement is too old to be kept began with the oldest one that is.
 */
export async function sinceInside(
  db: Db,
  orgId: number,
  assetIds: readonly number[],
  isInside: (locationId: number | null) => boolean,
  beforeMs = Infinity,
): Promise<Map<number, number>> {
  const since = new Map<number, number>()
  let open = new Map(assetIds.map((id) => [id, beforeMs]))
  for (let limit = FIRST; open.size > 0; limit *= MORE) {
    const rows = await arrivalsBefore(db, orgId, open, limit)
    const next = new Map<number, number>()
    for (const [assetId, arrivals] of Map.groupBy(rows, (row) => row.assetId)) {
      const broken = arrivals.findIndex(({ fromId, toId }) => isInside(toId) && !isInside(fromId))
      const oldest = arrivals.at(-1)
      if (broken !== -1) since.set(assetId, arrivals[broken]?.atMs ?? 0)
      else if (oldest && arrivals.length < limit) since.set(assetId, oldest.atMs)
      else if (oldest) next.set(assetId, oldest.atMs)
    }
    open = next
  }
  return since
}

async function arrivalsBefore(
  db: Db,
  orgId: number,
  before: ReadonlyMap<number, number>,
  limit: number,
): Promise<Arrival[]> {
  const bounds = [...before.values()].map((ms) => (ms === Infinity ? null : ms))
  const { rows } = await sql<Arrival>`
    select m.asset_id as "assetId", m.at as "atMs", m.from_location_id as "fromId", m.to_location_id as "toId"
    from unnest(${bigints([...before.keys()])}, ${instants(bounds)}) as k (asset_id, before)
    cross join lateral (
      select asset_id, ${epochMs('observed_at')} as at, from_location_id, to_location_id from movement
      where org_id = ${orgId} and asset_id = k.asset_id
        and (k.before is null or minute <= k.before and observed_at < k.before)
      order by minute desc limit ${limit}) m`.execute(db)
  return rows
}

/** When each of these assets first came to one of the places after an instant. */
export async function firstInside(
  db: Db,
  orgId: number,
  assetIds: readonly number[],
  isInside: (locationId: number | null) => boolean,
  afterMs: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  let open = new Map(assetIds.map((id) => [id, afterMs]))
  for (let limit = FIRST; open.size > 0; limit *= MORE) {
    const rows = await arrivalsAfter(db, orgId, open, limit)
    const next = new Map<number, number>()
    for (const [assetId, arrivals] of Map.groupBy(rows, (row) => row.assetId)) {
      const first = arrivals.find(({ toId }) => isInside(toId))
      const last = arrivals.at(-1)
      if (first) found.set(assetId, first.atMs)
      else if (last && arrivals.length === limit) next.set(assetId, last.atMs)
    }
    open = next
  }
  return found
}

async function arrivalsAfter(
  db: Db,
  orgId: number,
  after: ReadonlyMap<number, number>,
  limit: number,
): Promise<Arrival[]> {
  const { rows } = await sql<Arrival>`
    select m.asset_id as "assetId", m.at as "atMs", m.from_location_id as "fromId", m.to_location_id as "toId"
    from unnest(${bigints([...after.keys()])}, ${instants([...after.values()])}) as k (asset_id, after)
    cross join lateral (
      select asset_id, ${epochMs('observed_at')} as at, from_location_id, to_location_id from movement
      where org_id = ${orgId} and asset_id = k.asset_id
        and minute >= date_trunc('minute', k.after, 'UTC') and observed_at > k.after
      order by minute limit ${limit}) m`.execute(db)
  return rows
}

/** Where these assets were at an instant, by their movements. Those that had not been seen are left out. */
export async function placesAt(
  db: Db,
  orgId: number,
  assetIds: readonly number[],
  atMs: number,
): Promise<Map<number, number>> {
  const at = new Date(atMs).toISOString()
  const { rows } = await sql<{ asset_id: number; to_location_id: number }>`
    select k.asset_id, m.to_location_id
    from unnest(${bigints(assetIds)}) as k (asset_id)
    cross join lateral (
      select to_location_id from movement
      where org_id = ${orgId} and asset_id = k.asset_id and minute <= ${at} and observed_at <= ${at}
      order by minute desc limit 1) m`.execute(db)
  return new Map(rows.map((row) => [row.asset_id, row.to_location_id]))
}

/** Up to when the clock of a rule was looked at, in milliseconds since 1970. */
export async function checkedUntil(db: Db, { orgId, id }: { orgId: number; id: number }): Promise<number> {
  const row = await db
    .selectFrom('rule')
    .select('checked_until')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return Date.parse(row.checked_until)
}

/** Alerts of the rule about these assets, as `<asset id> <milliseconds of raised_at>`. */
export async function toldBefore(
  db: Db,
  { orgId, id }: { orgId: number; id: number },
  assetIds: readonly number[],
): Promise<Set<string>> {
  const { rows } = await sql<{ told: string }>`
    select subject_id || ' ' || round(date_part('epoch', raised_at) * 1000)::bigint as told from alert
    where org_id = ${orgId} and rule_id = ${id} and subject_type = 'asset' and subject_id = any(${bigints(assetIds)})`.execute(
    db,
  )
  return new Set(rows.map(({ told }) => told))
}

import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'

/** A movement, or more than one if only the first place and the last one matter. */
export type Crossing = { assetId: number; atMs: number; from: number | null; to: number }

/** `assetIds`, `places`: any, if undefined. */
type Wanted = {
  fromMs: number
  toMs: number
  assetIds?: readonly number[] | undefined
  places?: readonly number[] | undefined
}

/**
 * Movements from this time to that, in no order: to sort them, PostgreSQL would read them one by one by the primary key, which takes
 * twice as long. With `places`, only those into them or out of them, and
 * those after a row without a location: the others change nothing for a rule that has places. PostgreSQL hashes ids only if it
 * plans with their values: otherwise it compares each movement with each place.
 */
export async function readCrossings(
  db: Db,
  orgId: number,
  { fromMs, toMs, assetIds, places }: Wanted,
): Promise<Crossing[]> {
  const [from, to] = [fromMs, toMs].map((ms) => sql`${new Date(ms).toISOString()}::timestamptz`)
  const crosses = places === undefined ? sql`true` : crossing(bigints(places))
  const isOfAssets = assetIds === undefined ? sql`true` : sql`asset_id = any(${bigints(assetIds)})`
  const { rows } = await sql<Crossing>`${customPlan}
    select asset_id as "assetId", ${epochMs('observed_at')} as "atMs", from_location_id as "from", to_location_id as "to"
    from movement
    where org_id = ${orgId} and minute >= date_trunc('minute', ${from}, 'UTC') and minute <= ${to}
      and observed_at > ${from} and observed_at <= ${to} and ${crosses} and ${isOfAssets}`.execute(db)
  return rows
}

const crossing = (places: RawBuilder<unknown>) =>
  sql`(from_location_id is null or (to_location_id = any(${places})) <> (from_location_id = any(${places})))`

/** By asset: its newest movement until an instant. */
export type Standings = ReadonlyMap<number, { placeId: number; sinceMs: number }>

/** Of each asset its newest movement until an instant. */
export async function readStandings(
  db: Db,
  orgId: number,
  assetIds: readonly number[],
  atMs: number,
): Promise<Standings> {
  const at = new Date(atMs).toISOString()
  const { rows } = await sql<{ assetId: number; placeId: number; sinceMs: number }>`
    select k.asset_id as "assetId", m.place as "placeId", m.at as "sinceMs"
    from unnest(${bigints(assetIds)}) as k (asset_id)
    cross join lateral (
      select to_location_id as place, ${epochMs('observed_at')} as at from movement
      where org_id = ${orgId} and asset_id = k.asset_id and minute <= ${at} and observed_at <= ${at}
      order by minute desc limit 1) m`.execute(db)
  return new Map(rows.map(({ assetId, ...stands }) => [assetId, stands]))
}

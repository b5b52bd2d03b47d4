import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { isListed } from '../reports/listed.sql.ts'

export type PlacedAsset = {
  id: number
  external_key: string
  name: string
  location_id: number
  /** Seconds since 1970. */
  since: number
  seen: number
}

/** `held`: how many assets each location has. `assets`: those seen last, with where they are. */
export type Places = { readAt: string; held: ReadonlyMap<number, number>; assets: readonly PlacedAsset[] }

/**
 * The listed assets that have a location: counted at each, and the `most` that were seen last. One statement, so that
 * numbers and assets agree.
 */
export async function readPlaces(db: Db, orgId: number, most: number): Promise<Places> {
  const seconds = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}))::bigint`
  const { rows } = await sql<{ read_at: string; held: [number, number][]; assets: PlacedAsset[] }>`
    with held as (
      select s.location_id as id, count(*) as assets from asset_place s
      where s.org_id = ${orgId} and ${isListed('s', false)} and s.location_id is not null
      group by s.location_id
    ), shown as (
      select p.asset_id, p.location_id, p.observed_at, p.dwell_started_at from position p
      where p.org_id = ${orgId} and p.minute > '-infinity' and ${isListed('p', false)} and p.location_id is not null
      order by p.observed_at desc, p.asset_id limit ${most}
    )
    select now() as read_at,
      (select coalesce(jsonb_agg(jsonb_build_array(id, assets)), '[]') from held) as held,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'id', s.asset_id, 'external_key', a.external_key, 'name', a.name, 'location_id', s.location_id,
          'since', ${seconds('s.dwell_started_at')}, 'seen', ${seconds('s.observed_at')})
          order by s.observed_at desc, s.asset_id), '[]')
        from shown s cross join lateral (
          select external_key, name from asset where org_id = ${orgId} and id = s.asset_id offset 0) a) as assets`.execute(
    db,
  )
  const { read_at: readAt = '', held = [], assets = [] } = rows[0] ?? {}
  return { readAt, held: new Map(held), assets }
}

/** The ids of the locations that are not deleted. */
export async function listLiveLocations(db: Db, orgId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('location')
    .select('id')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

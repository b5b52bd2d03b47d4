import { sql } from 'kysely'
import type { Db } from '../../../db.ts'
import { countLive } from '../asset-locations/count.sql.ts'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { isListed } from '../listed.sql.ts'

/** `held`: number of assets by location, for locations that have any. */
export type Occupancy = { held: Map<number, number>; total: number; nowhere: number }

/**
 * Counts the listed assets at each of these locations, at none, and in all. One statement, so that the numbers agree.
 */
export async function countOccupancy(
  db: Db,
  orgId: number,
  locationIds: readonly number[],
): Promise<Occupancy> {
  const listed = sql`s.org_id = ${orgId} and ${isListed('s', false)}`
  const { rows } = await sql<{ id: number | null; held: number; total: number; nowhere: number }>`
    select at.id, at.held, org.total, org.nowhere
    from (select ${countLive(orgId)} as total, (
      select count(*) from asset_place s where ${listed} and s.location_id is null) as nowhere) org
    left join (
      select s.location_id as id, count(*) as held from asset_place s
      where ${listed} and ${anyOf('s.location_id', locationIds, 'bigint')}
      group by s.location_id) at on true`.execute(db)
  const { total, nowhere } = rows[0] ?? { total: 0, nowhere: 0 }
  const held = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row.held] as const])))
  return { held, total, nowhere }
}

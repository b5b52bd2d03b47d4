import type { RuleScope } from '@whereabouts/contracts/resources/rules/rules'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'

/** Assets that a scope may mean, also those that were deleted. Their types are filtered in memory. */
export async function listScope(db: Db, orgId: number, { asset_ids }: RuleScope): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from asset
    where org_id = ${orgId} and (${asset_ids.length} = 0 or id = any(${asset_ids}::bigint[]))
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Assets that were deleted after an instant, and when. */
export async function listDeletedSince(db: Db, orgId: number, fromMs: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; at: number }>`
    select id, ${epochMs('deleted_at')} as at from asset
    where org_id = ${orgId} and deleted_at > ${new Date(fromMs).toISOString()}`.execute(db)
  return new Map(rows.map(({ id, at }) => [id, at]))
}

/** Assets that were last read where no location is known. */
export async function listNowhere(db: Db, orgId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select asset_id as id from position
    where org_id = ${orgId} and location_id is null and minute > '-infinity'`.execute(db)
  return rows.map(({ id }) => id)
}

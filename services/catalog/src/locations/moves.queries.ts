import { sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

/**
 * Allows one transaction per organization to change parents, until it ends. Otherwise two valid moves could make a
 * cycle or a deadlock. Call before locking any row.
 */
export async function lockTree(tx: Tx, orgId: number): Promise<void> {
  const name = `tree:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** Whether a location is `rootId` or below it, at any depth. Under `lockTree`, the result is valid until the commit. */
export async function isInside(tx: Tx, orgId: number, id: number, rootId: number): Promise<boolean> {
  const { rows } = await sql<{ inside: boolean }>`
    with recursive above as (
      select id, parent_id from location where org_id = ${orgId} and id = ${id}
      union
      select parent.id, parent.parent_id from above
        join location as parent on parent.org_id = ${orgId} and parent.id = above.parent_id
    )
    select exists (select from above where id = ${rootId}) as inside`.execute(tx)
  return rows[0]?.inside === true
}

/** The number of live sub-locations, at any depth. */
export async function countDescendants(db: Db, orgId: number, id: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    with recursive below as (
      select id from location where org_id = ${orgId} and parent_id = ${id} and deleted_at is null
      union
      select child.id from below
        join location as child on child.org_id = ${orgId} and child.parent_id = below.id and child.deleted_at is null
    )
    select count(*) as total from below`.execute(db)
  return rows[0]?.total ?? 0
}

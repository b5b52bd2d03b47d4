import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { NO_HOMES, type Homes, type SentHome } from './home.rules.ts'

/**
 * The live locations that these name as homes, by id or by key. With `lock`, they stay live and keep their keys until the
 * transaction ends. In the order of ids, so that two batches do not deadlock.
 */
export async function listHomes(
  db: Db,
  orgId: number,
  sent: readonly SentHome[],
  lock: boolean,
): Promise<Homes> {
  const ids = new Set(sent.flatMap(({ home_location_id: id }) => id ?? []))
  const keys = new Set(sent.flatMap(({ home_location_external_key: key }) => key ?? []))
  if (ids.size + keys.size === 0) return NO_HOMES
  const { rows } = await sql<{ id: number; external_key: string }>`
    select id, external_key from location
    where org_id = ${orgId} and deleted_at is null and id = any(${[...ids]}::bigint[] || array(
      select id from location
      where org_id = ${orgId} and external_key = any(${[...keys]}::text[]) and deleted_at is null))
    order by id ${lock ? sql`for share` : sql``}`.execute(db)
  return {
    keys: new Map(rows.map((row) => [row.id, row.external_key])),
    ids: new Map(rows.map((row) => [row.external_key, row.id])),
  }
}

import { sql } from 'kysely'
import type { Db } from '../db.ts'

/** A location between others and their root. */
export type Ancestor = { id: number; external_key: string; parent_id: number | null }

/**
 * The locations with these ids and their ancestors, deleted or not, up to `levels` in all, without repetitions. So a
 * page of locations costs one statement. A live location has only live ancestors.
 */
export async function listPageAncestors(
  db: Db,
  orgId: number,
  ids: readonly number[],
  levels: number,
): Promise<Ancestor[]> {
  if (ids.length === 0) return []
  // `limit 1` makes each step read the primary key: a plain join is planned for many rows a level and reads the whole
  // table.
  const { rows } = await sql<Ancestor>`
    with recursive around as (
      select null::bigint as id, null::text collate "pg_c_utf8" as external_key, start as parent_id, 0 as level
      from unnest(${[...ids]}::bigint[]) as start
      union
      select parent.id, parent.external_key, parent.parent_id, around.level + 1
      from around cross join lateral (
        select id, external_key, parent_id from location
        where org_id = ${orgId} and id = around.parent_id
        limit 1) as parent
      where around.level < ${levels}
    )
    select distinct id, external_key, parent_id from around where level > 0`.execute(db)
  return rows
}

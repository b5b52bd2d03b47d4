import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** Each of these live locations with all live ones that it is in. A deleted one in between ends them. */
export async function listWithAncestors(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ start: number; ids: number[] }>`
    with recursive above as (
      select id as start, id, parent_id from location
      where org_id = ${orgId} and id = any(${bigints(ids)}) and deleted_at is null
      union
      select above.start, parent.id, parent.parent_id from above
        join location as parent on parent.org_id = ${orgId} and parent.id = above.parent_id and parent.deleted_at is null
    )
    select start, jsonb_agg(id order by id) as ids from above group by start`.execute(db)
  return new Map(rows.map(({ start, ids: found }) => [start, found]))
}

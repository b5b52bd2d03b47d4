import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import { assetColumns, locationColumns, type AssetRow, type Db, type LocationRow } from '../db.ts'
import { liveTags, type Tagged } from '../tags/live-tags.ts'

/** The live assets with ids above `after`, by id, so that an asset renamed meanwhile appears once. */
export function nextAssets(db: Db, orgId: number, after: number, limit: number): Promise<Tagged<AssetRow>[]> {
  return db
    .selectFrom('asset')
    .select([...assetColumns, liveTags('asset').as('tags')])
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * The ids of all live locations, parents before children. All at once, because no index continues this order after a
 * page. A million are about eight megabytes.
 */
export async function listLocationIds(db: Db, orgId: number): Promise<Float64Array> {
  const { rows } = await sql<{ ids: string | null }>`
    with recursive tree as (
      select id, external_key, 0 as depth from location
      where org_id = ${orgId} and parent_id is null and deleted_at is null
      union all
      select child.id, child.external_key, tree.depth + 1 from tree
      join location as child on child.org_id = ${orgId} and child.parent_id = tree.id and child.deleted_at is null
    )
    select string_agg(id::text, ',' order by depth, external_key) as ids from tree`.execute(db)
  return Float64Array.from(rows[0]?.ids?.split(',') ?? [], Number)
}

/** The locations among these that are still live, in the given order. */
export async function findLocationsInOrder(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Tagged<LocationRow & { parent_external_key: string | null }>[]> {
  return db
    .selectFrom('location')
    .leftJoin('location as parent', (join) =>
      join.onRef('parent.org_id', '=', 'location.org_id').onRef('parent.id', '=', 'location.parent_id'),
    )
    .select([
      ...locationColumns,
      'parent.external_key as parent_external_key',
      liveTags('location').as('tags'),
    ])
    .where('location.org_id', '=', orgId)
    .where('location.deleted_at', 'is', null)
    .where(anyOf('location.id', ids, 'bigint'))
    .orderBy(sql`array_position(${[...ids]}::bigint[], location.id)`)
    .execute()
}

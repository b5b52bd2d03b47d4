import type { TagToRestore } from '@whereabouts/contracts/resources/catalog/restore'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { Db, TagRow, Tx } from '../../db.ts'
import { columnOf, inUniqueOrder, tagColumns, type Owner } from '../../tags/tags.queries.ts'

export type DeletedTag = TagToRestore & { id: number }

/**
 * The tags that were deleted with their owner, oldest first, each with who has it now. They have the `deleted_at` of
 * the owner. Tags that were detached before have an earlier one.
 */
export async function listDeletedTags(db: Db, orgId: number, owner: Owner): Promise<DeletedTag[]> {
  const [column, ownerId] = columnOf(owner)
  const table = sql.table(column === 'asset_id' ? 'asset' : 'location')
  const { rows } = await sql<DeletedTag>`
    select gone.id, gone.tag_type, gone.value,
           case when held.id is not null then json_build_object(
             'resource', case when a.id is not null then 'asset' else 'location' end,
             'id', coalesce(a.id, l.id), 'external_key', coalesce(a.external_key, l.external_key),
             'name', coalesce(a.name, l.name)) end as held_by
    from ${table} as owner
    join tag as gone on gone.org_id = owner.org_id and ${sql.ref(`gone.${column}`)} = owner.id
      and gone.deleted_at = owner.deleted_at
    left join lateral (
      select * from tag as live
      where live.org_id = gone.org_id and live.tag_type = gone.tag_type and live.match_value = gone.match_value
        and (live.tag_type = 'barcode' or live.value = gone.value) and live.deleted_at is null
      order by live.value <> gone.value limit 1) as held on true
    left join asset as a on a.org_id = held.org_id and a.id = held.asset_id
    left join location as l on l.org_id = held.org_id and l.id = held.location_id
    where owner.org_id = ${orgId} and owner.id = ${ownerId}
    order by gone.created_at, gone.id`.execute(db)
  return rows
}

/** Another transaction attached one of the tags at the same moment. Try the whole restore again. */
export class TagTakenMeanwhile extends Error {
  override readonly name = 'TagTakenMeanwhile'
}

/**
 * Restores deleted tags whose owner the caller has locked and restored. One by one in the order of their unique forms, like
 * `insertTags`: otherwise two overlapping lists could deadlock. Throws `TagTakenMeanwhile`.
 */
export async function restoreTags(tx: Tx, orgId: number, ids: readonly number[]): Promise<TagRow[]> {
  // Locked in the order of a republish, because the two could deadlock otherwise.
  const { rows: inOrder } = await sql<{ id: number }>`
    select id from (
      select id, tag_type, match_value, value from tag where org_id = ${orgId} and ${anyOf('tag.id', ids, 'bigint')}
      order by id for update) as locked
    ${inUniqueOrder}`.execute(tx)
  const restored: TagRow[] = []
  for (const { id } of inOrder) restored.push(await restoreTag(tx, orgId, id))
  return restored
}

const UNIQUE = new Set<unknown>(['tag_live_value', 'tag_live_barcode'])

const restoreTag = (tx: Tx, orgId: number, id: number): Promise<TagRow> =>
  tx
    .updateTable('tag')
    .set({ deleted_at: null, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(tagColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw UNIQUE.has(violatedConstraint(error)) ? new TagTakenMeanwhile() : error
    })

import { matchValue, uniqueForm } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql } from 'kysely'
import type { Db, TagRow, Tx } from '../db.ts'
import type { TagOwner } from '../changes/messages/changes.ts'
import { tagExists } from '../errors.ts'
import { typeOf } from './external-keys/external-keys.queries.ts'

/** The resource that has a tag. */
export type Owner = { asset_id: number } | { location_id: number }

/** Locks the live row of an owner until the transaction ends. Undefined if there is none in this organization. */
export async function lockOwner(tx: Tx, orgId: number, owner: Owner): Promise<TagOwner | undefined> {
  const [column, ownerId] = columnOf(owner)
  const kind = column === 'asset_id' ? 'asset' : 'location'
  const row = await tx
    .selectFrom(kind)
    .select(['id', 'external_key', 'name', typeOf(kind)])
    .where('org_id', '=', orgId)
    .where('id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row && { kind, ...row }
}

export const tagColumns = [
  'tag.org_id', 'tag.id', 'tag.tag_type', 'tag.value', 'tag.asset_id', 'tag.location_id',
  'tag.created_at', 'tag.deleted_at', 'tag.revision',
] as const // oxfmt-ignore

/** In which all writers take tags. */
export const inUniqueOrder = sql.raw(
  'order by tag_type collate "C", match_value collate "C", value collate "C"',
)

const returned = sql.raw(tagColumns.map((column) => column.replace('tag.', '')).join(', '))

/**
 * Adds tags to an owner whose row the caller has locked, and returns them in the given order. Throws `tagExists` for
 * the first tag that another owner has, or that is twice in the list.
 */
export async function insertTags(
  tx: Tx,
  orgId: number,
  owner: Owner,
  tags: readonly TagCreate[],
): Promise<TagRow[]> {
  if (tags.length === 0) return []
  const rows = tags.map((tag, position) => ({
    ...tag,
    position,
    match_value: matchValue(tag.tag_type, tag.value),
  }))
  const [assetId, locationId] = 'asset_id' in owner ? [owner.asset_id, null] : [null, owner.location_id]
  // Inserted in the order of their unique forms, so that two overlapping lists do not deadlock. The microseconds keep the
  // given order, which defines "the oldest tag" (D6.5).
  const inserted = await sql<TagRow>`
    insert into tag (org_id, tag_type, value, match_value, asset_id, location_id, created_at)
    select ${orgId}, tag_type, value, match_value, ${assetId}::bigint, ${locationId}::bigint,
           statement_timestamp() + position * interval '1 microsecond'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as t (tag_type text, value text, match_value text, position int)
    where not exists (
      select from tag as twin where twin.org_id = ${orgId} and twin.tag_type = t.tag_type
        and twin.match_value = t.match_value and twin.deleted_at is null and twin.is_twin)
    ${inUniqueOrder}
    on conflict do nothing
    returning ${returned}`.execute(tx)
  return inOrderGiven(tags, inserted.rows)
}

/** Like `insertTags`, for one tag. */
export async function insertTag(tx: Tx, orgId: number, owner: Owner, tag: TagCreate): Promise<TagRow> {
  const [row] = await insertTags(tx, orgId, owner, [tag])
  if (!row) throw tagExists(tag.tag_type, tag.value)
  return row
}

/** Two live tags of an organization never have the same. */
export const uniqueName = ({ tag_type, value }: { tag_type: string; value: string }): string =>
  `${tag_type}:${uniqueForm(tag_type, value)}`

function inOrderGiven(tags: readonly TagCreate[], inserted: readonly TagRow[]): TagRow[] {
  const rows = new Map(inserted.map((row) => [uniqueName(row), row]))
  return tags.map((tag) => {
    const name = uniqueName(tag)
    const row = rows.get(name)
    if (!row) throw tagExists(tag.tag_type, tag.value)
    rows.delete(name)
    return row
  })
}

/** The live tags of some assets or locations, oldest first. */
export function listTags(
  db: Db,
  orgId: number,
  owner: 'asset_id' | 'location_id',
  ids: readonly number[],
): Promise<TagRow[]> {
  return db
    .selectFrom('tag')
    .select(tagColumns)
    .where('org_id', '=', orgId)
    .where(owner, 'in', ids.length === 0 ? [null] : ids)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The number of live tags of an owner. Call with its row locked, as for attaching. */
export async function countTags(tx: Tx, orgId: number, owner: Owner): Promise<number> {
  const [column, ownerId] = columnOf(owner)
  const { total } = await tx
    .selectFrom('tag')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('org_id', '=', orgId)
    .where(column, '=', ownerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return total
}

/** Removes one tag of this owner. Undefined if it is not live. */
export async function deleteTag(
  tx: Tx,
  orgId: number,
  owner: Owner,
  id: number,
): Promise<TagRow | undefined> {
  const [row] = await deleteTags(tx, orgId, owner, [id])
  return row
}

/** Removes tags of this owner. The result contains only tags that were live. */
export function deleteTags(tx: Tx, orgId: number, owner: Owner, ids: readonly number[]): Promise<TagRow[]> {
  const [column, ownerId] = columnOf(owner)
  return tx
    .updateTable('tag')
    .set({ deleted_at: sql<string>`greatest(clock_timestamp(), created_at)`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .where(column, '=', ownerId)
    .where('deleted_at', 'is', null)
    .returning(tagColumns)
    .execute()
}

/** Removes all live tags of an owner that this transaction has deleted, with the same `deleted_at`. */
export async function deleteTagsOf(tx: Tx, orgId: number, owner: Owner): Promise<TagRow[]> {
  const [column, ownerId] = columnOf(owner)
  const table = column === 'asset_id' ? 'asset' : 'location'
  const deleted_at = tx
    .selectFrom(table)
    .select('deleted_at')
    .where('org_id', '=', orgId)
    .where('id', '=', ownerId)
  // Locked in the order of a republish, because the two could deadlock otherwise.
  const inOrder = tx
    .selectFrom('tag')
    .select('id')
    .where('org_id', '=', orgId)
    .where(column, '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
  return tx
    .updateTable('tag')
    .set({ deleted_at, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', 'in', inOrder)
    .returning(tagColumns)
    .execute()
}

export const ownerOf = ({ kind, id }: Pick<TagOwner, 'kind' | 'id'>): Owner =>
  kind === 'asset' ? { asset_id: id } : { location_id: id }

export const columnOf = (owner: Owner) =>
  'asset_id' in owner
    ? (['asset_id', owner.asset_id] as const)
    : (['location_id', owner.location_id] as const)

import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { tagTypes, type TagType } from '@whereabouts/contracts/resources/catalog/tags'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { jsonInSlices, mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql, type RawBuilder } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { enqueueChanges } from '../../changes/messages/enqueue-changes.ts'
import {
  assetColumns,
  locationColumns,
  type AssetRow,
  type LocationRow,
  type TagRow,
  type Tx,
} from '../../db.ts'
import { inUniqueOrder, listTags, tagColumns } from '../../tags/tags.queries.ts'
import { nextUpdate } from '../../changes/transactions/next-update.ts'
import { gained, tagName, type Change, type Snapshot, type Resource } from './plan.ts'
import { liveTag } from './snapshot.queries.ts'
import { messagesOf } from './written-messages.ts'
import { writtenColumns } from './written-columns.ts'

/** Another change came first, so the batch must be planned again. */
export class PlanOutdated extends Error {}

type Table = 'asset' | 'location'
type Written = { row: Resource['fields'] & { id: number; external_key: string }; isNew: boolean }
type AnyRow = AssetRow & LocationRow

/**
 * Writes the planned changes and their messages. The number of statements does not depend on the number of rows.
 * Returns the ids by key. Throws `PlanOutdated` if another change took or released a key or a tag.
 */
export async function writeChanges(
  tx: Tx,
  orgId: number,
  table: Table,
  snapshot: Snapshot,
  changes: readonly Change[],
): Promise<Map<string, number>> {
  const ids = await idsOf(tx, snapshot, changes)
  const written = (await mapInSlices(changes, (change) => writtenOf(change, ids))).flat()
  const rows = await writeResources(tx, orgId, table, snapshot.now, written)
  const tags = await writeTags(tx, orgId, table, changes, ids)
  const old = written.flatMap(({ isNew, row }) => (isNew ? [] : [row.id]))
  const kept = old.length === 0 ? [] : await listTags(tx, orgId, `${table}_id`, old)
  const messages = await messagesOf({ table, changes, ids, rows, ...tags, kept })
  await enqueueChanges(tx, messages)
  return ids
}

function writtenOf(change: Change, ids: ReadonlyMap<string, number>): Written[] {
  const { before, after } = change
  const isSameHome = before?.homeId === after.homeId // a deleted one has no key in the fields
  if (isSameHome && isDeepStrictEqual(before?.fields, after.fields)) return []
  return [{ isNew: after.id === null, row: rowOf(change, ids) }]
}

/** The ids by key. Mints those of new resources first, because they may refer to each other. */
async function idsOf(tx: Tx, snapshot: Snapshot, changes: readonly Change[]): Promise<Map<string, number>> {
  const stored = [...snapshot.resources.values()].filter(({ id }) => id !== null)
  const ids = new Map(stored.map(({ key, id }) => [key, Number(id)]))
  const added = changes.filter(({ after }) => after.id === null)
  if (added.length === 0) return ids
  const { rows } = await sql<{ id: number }>`
    select mint_id() as id from generate_series(1, ${added.length}::int)`.execute(tx)
  for (const [i, { after }] of added.entries()) ids.set(after.key, rows[i]?.id ?? 0)
  return ids
}

function rowOf(
  { before, after: { key, fields, parentId, homeId } }: Change,
  ids: ReadonlyMap<string, number>,
) {
  const { parent_external_key: parent } = fields
  const isMoved = parent !== before?.fields.parent_external_key
  const parent_id = isMoved ? (parent ? ids.get(parent) : null) : parentId
  return { ...fields, id: ids.get(key) ?? 0, external_key: key, parent_id, home_location_id: homeId }
}

const columnsOf = (table: Table): RawBuilder<unknown> =>
  sql.join((table === 'asset' ? assetColumns : locationColumns).map((column) => sql.ref(column)))

async function writeResources(
  tx: Tx,
  orgId: number,
  table: Table,
  now: string,
  written: readonly Written[],
): Promise<AnyRow[]> {
  const [added, changed] = [written.filter(({ isNew }) => isNew), written.filter(({ isNew }) => !isNew)]
  const columns = writtenColumns[table]
  const typed = sql.join(columns.map(({ name, type }) => sql`${sql.ref(name)} ${sql.raw(type)}`))
  const given = async (rows: readonly Written[]) => sql`
    jsonb_to_recordset(${await jsonInSlices(rows.map(({ row }) => row))}::jsonb) as given (${typed})`
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const assigned = columns
    .filter(({ name }) => name !== 'id' && name !== 'external_key')
    .map(({ name }) => sql`${sql.ref(name)} = ${sql.ref(`given.${name}`)}`)
  const results: AnyRow[] = []
  if (added.length > 0) {
    const { rows } = await sql<AnyRow>`
      insert into ${sql.table(table)} (org_id, created_at, updated_at, ${names})
      select ${orgId}, ${now}::timestamptz, ${now}::timestamptz, ${names} from ${await given(added)}
      order by external_key collate "C" -- or two batches with the same keys wait for each other
      on conflict (org_id, external_key) where deleted_at is null do nothing
      returning ${columnsOf(table)}`.execute(tx)
    const byId = new Map(rows.map((row) => [row.id, row])) // events have the order of the items
    results.push(...added.flatMap(({ row: { id } }) => byId.get(id) ?? []))
  }
  if (changed.length > 0) {
    const { rows } = await sql<AnyRow>`
      update ${sql.table(table)} set
        ${sql.join(assigned)},
        updated_at = ${nextUpdate}, revision = ${nextRevision}
      from ${await given(changed)}
      where ${sql.ref(`${table}.org_id`)} = ${orgId} and ${sql.ref(`${table}.id`)} = given.id
        and ${sql.ref(`${table}.id`)} = any(${changed.map(({ row }) => row.id)}::bigint[])
      returning ${columnsOf(table)}`.execute(tx)
    results.push(...rows)
  }
  if (results.length < written.length) throw new PlanOutdated('a key was taken meanwhile')
  return results
}

type TagOf = { owner_id: number; tag_type: TagType; value: string; match_value: string }

/** Removes before it adds, because a tag may move to another row. */
async function writeTags(
  tx: Tx,
  orgId: number,
  table: Table,
  changes: readonly Change[],
  ids: ReadonlyMap<string, number>,
): Promise<{ removed: TagRow[]; added: TagRow[] }> {
  const idOf = ({ after }: Change) => ids.get(after.key) ?? 0
  const lost = changes.flatMap((change) => tagsOf(idOf(change), change.after, change.before))
  const won = changes.flatMap((change) => tagsOf(idOf(change), change.before, change.after))
  const removed = await deleteTags(tx, orgId, table, lost)
  const added = await insertTags(tx, orgId, table, won)
  if (removed.length + added.length < lost.length + won.length)
    throw new PlanOutdated('a tag was taken or released meanwhile')
  return { removed, added: inOrder(won, added) }
}

/** Of the file, which is that of `created_at`. */
function inOrder(won: readonly TagOf[], added: readonly TagRow[]): TagRow[] {
  const byName = new Map(added.map((tag) => [tagName(tag.tag_type, tag.value), tag]))
  return won.flatMap(({ tag_type, value }) => byName.get(tagName(tag_type, value)) ?? [])
}

/** The tags that `after` has and `before` lacks. */
const tagsOf = (owner_id: number, before: Resource | undefined, after: Resource | undefined): TagOf[] =>
  tagTypes.flatMap((tag_type) =>
    gained(before, after, tag_type).map((value) => ({
      owner_id,
      tag_type,
      value,
      match_value: matchValue(tag_type, value),
    })),
  )

const givenTags = (tags: readonly TagOf[]) => sql`
  rows from (jsonb_to_recordset(${JSON.stringify(tags)}::jsonb)
    as (owner_id bigint, tag_type text, value text, match_value text)) with ordinality
    as given (owner_id, tag_type, value, match_value, position)`
const returnedTag = sql.join(tagColumns.map((column) => sql.ref(column)))

async function deleteTags(tx: Tx, orgId: number, table: Table, tags: readonly TagOf[]): Promise<TagRow[]> {
  if (tags.length === 0) return []
  const { rows } = await sql<TagRow>`
    update tag set deleted_at = greatest(clock_timestamp(), created_at), revision = ${nextRevision}
    where tag.org_id = ${orgId} and tag.deleted_at is null and tag.id = any(array(
      select found.id from ${givenTags(tags)} cross join lateral (${liveTag(orgId, 'given')}) as found
      where ${sql.ref(`found.${table}_id`)} = given.owner_id))
    returning ${returnedTag}`.execute(tx)
  return rows
}

/** In the order of their unique forms. The microseconds keep the order of the file, which defines "oldest" (D6.5). */
async function insertTags(tx: Tx, orgId: number, table: Table, tags: readonly TagOf[]): Promise<TagRow[]> {
  if (tags.length === 0) return []
  const { rows } = await sql<TagRow>`
    insert into tag (org_id, tag_type, value, match_value, ${sql.ref(`${table}_id`)}, created_at)
    select ${orgId}, tag_type, value, match_value, owner_id,
           statement_timestamp() + position * interval '1 microsecond'
    from ${givenTags(tags)}
    ${inUniqueOrder}
    on conflict do nothing
    returning ${returnedTag}`.execute(tx)
  return rows
}

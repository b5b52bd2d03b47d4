import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { TagType } from '@whereabouts/contracts/resources/catalog/tags'
import { jsonInSlices, mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { ownerName, tagName, type Resource } from './plan.ts'
import type { ImportedFields } from './row-input.ts'
import { writtenColumns } from './written-columns.ts'

/** Loads the `Snapshot` of stored rows. With `lock`, they stay unchanged until the transaction ends. */

type Table = 'asset' | 'location'

/** The format of `parseInstant`. Such texts sort by time. */
const micros = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The columns that `writes.queries.ts` writes, as `plan` compares them. */
const read = (table: Table) =>
  sql.join(
    writtenColumns[table].map(({ name, type }) =>
      type === 'timestamptz'
        ? sql`${micros(`resource.${name}`)} as ${sql.ref(name)}`
        : sql.ref(`resource.${name}`),
    ),
  )
const parentKey = sql`, (select parent.external_key from location as parent
  where parent.org_id = resource.org_id and parent.id = resource.parent_id) as parent_external_key`
const homeKey = sql`, (select home.external_key from location as home
  where home.org_id = resource.org_id and home.id = resource.home_location_id and home.deleted_at is null)
  as home_location_external_key`
const columns = { asset: sql`${read('asset')} ${homeKey}`, location: sql`${read('location')} ${parentKey}` }

type StoredResource = ImportedFields & {
  id: number
  external_key: string
  parent_id?: number | null
  home_location_id?: number | null
}

/** The live resources with these keys. Locks them in the order of ids, so that two imports do not deadlock. */
export async function loadResources(
  db: Db,
  orgId: number,
  table: Table,
  keys: readonly string[],
  lock: boolean,
): Promise<Resource[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<StoredResource>`
    select ${columns[table]}
    from ${sql.table(table)} as resource
    where resource.org_id = ${orgId} and resource.deleted_at is null and resource.external_key = any(${[...keys]}::text[])
    order by resource.id
    ${lock ? sql`for update of resource` : sql``}`.execute(db)
  const tags = await loadTags(db, orgId, table, rows.map(({ id }) => id)) // oxfmt-ignore
  return rows.map((row) => toResource(row, tags.get(row.id) ?? NO_TAGS))
}

function toResource(
  { id, external_key: key, parent_id, home_location_id, ...fields }: StoredResource,
  tags: Resource['tags'],
): Resource {
  return {
    id,
    key,
    fields,
    tags,
    ...(parent_id !== undefined && { parentId: parent_id }),
    ...(home_location_id !== undefined && { homeId: home_location_id }),
  }
}

const NO_TAGS: Resource['tags'] = { rfid: [], ble: [], barcode: [] }

async function loadTags(db: Db, orgId: number, table: Table, ids: readonly number[]) {
  const { rows } = await sql<{ owner_id: number; tag_type: TagType; value: string }>`
    select ${sql.ref(`${table}_id`)} as owner_id, tag_type, value from tag
    where org_id = ${orgId} and deleted_at is null and ${sql.ref(`${table}_id`)} = any(${[...ids]}::bigint[])
    order by created_at, id`.execute(db)
  const byOwner = Map.groupBy(rows, ({ owner_id }) => owner_id)
  return new Map([...byOwner].map(([id, tags]) => [id, byType(tags)]))
}

function byType(tags: readonly { tag_type: TagType; value: string }[]): Resource['tags'] {
  const values = (type: TagType) => tags.filter((tag) => tag.tag_type === type).map(({ value }) => value)
  return { rfid: values('rfid'), ble: values('ble'), barcode: values('barcode') }
}

/** The owners of these tags, by the name of the tag. */
export async function loadTagOwners(
  db: Db,
  orgId: number,
  tags: readonly { type: TagType; value: string }[],
): Promise<Map<string, string>> {
  if (tags.length === 0) return new Map()
  const wanted = await jsonInSlices(
    await mapInSlices(tags, ({ type, value }) => ({
      tag_type: type,
      value,
      match_value: matchValue(type, value),
    })),
  )
  const { rows } = await sql<{ tag_type: TagType; value: string; owner: Table; key: string }>`
    select tag.tag_type, tag.value,
           case when tag.asset_id is null then 'location' else 'asset' end as owner,
           coalesce(asset.external_key, location.external_key) as key
    from jsonb_to_recordset(${wanted}::jsonb) as wanted (tag_type text, value text, match_value text)
    cross join lateral (${liveTag(orgId, 'wanted')}) as tag
    left join asset on asset.org_id = tag.org_id and asset.id = tag.asset_id
    left join location on location.org_id = tag.org_id and location.id = tag.location_id`.execute(db)
  return new Map(
    rows.map(({ tag_type, value, owner, key }) => [tagName(tag_type, value), ownerName(owner, key)]),
  )
}

/**
 * The live tag with the type and unique form of `wanted`; of twins from before there was one, the exact one. The comparison of `match_value` and the limit are for the
 * planner, which reads too many tags before the table has statistics.
 */
export const liveTag = (orgId: number, wanted: string) => sql`
  select * from tag
  where tag.org_id = ${orgId} and tag.tag_type = ${sql.ref(`${wanted}.tag_type`)}
    and tag.match_value = ${sql.ref(`${wanted}.match_value`)}
    and (tag.tag_type = 'barcode' or tag.is_twin or tag.value = ${sql.ref(`${wanted}.value`)}) and tag.deleted_at is null
  order by tag.value <> ${sql.ref(`${wanted}.value`)} limit 1`

/** The parent's key of each of these locations and of their ancestors, with the moves of this dry run. */
export async function loadParents(
  db: Db,
  orgId: number,
  importId: number,
  keys: readonly string[],
): Promise<Map<string, string | null>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ key: string; parent: string | null }>`
    with recursive above (key, parent) as (
      select start.key, ${parentOf('start.key', orgId, importId)}
      from unnest(${[...keys]}::text[]) as start (key)
      union
      select above.parent, ${parentOf('above.parent', orgId, importId)}
      from above where above.parent is not null
    )
    select key, parent from above`.execute(db)
  return new Map(rows.map(({ key, parent }) => [key, parent]))
}

const parentOf = (key: string, orgId: number, importId: number) => sql`(
  select case when fact.key is null then parent.external_key
              else fact.value #>> '{fields,parent_external_key}' end collate "default"
  from (select) as one
  left join import_fact as fact on fact.org_id = ${orgId} and fact.import_id = ${importId}
    and fact.kind = 'thing' and fact.key = ${sql.ref(key)}
  left join location on location.org_id = ${orgId} and location.external_key = ${sql.ref(key)}
    and location.deleted_at is null
  left join location as parent on parent.org_id = ${orgId} and parent.id = location.parent_id)`

/** The database's clock, in microseconds. */
export async function clock(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`.execute(db)
  return rows[0]?.now ?? ''
}

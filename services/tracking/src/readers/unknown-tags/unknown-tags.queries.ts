import { limits } from '@whereabouts/contracts/limits'
import type { SortField } from '@whereabouts/contracts/rules/query'
import { epcUri } from '@whereabouts/contracts/resources/catalog/epc'
import { decodeEpc, matchValue, matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { UnknownTagsQuery, UnknownTagView } from '@whereabouts/contracts/resources/tracking/unknown-tags'
import { asTagText, hasText } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { instant } from '../../sql-times.ts'

/**
 * The newest tags kept per organization and type of tag. Per type, so that BLE adverts of passers-by evict no
 * barcode.
 */
export const MAX_UNKNOWN_TAGS = limits.unknownTags.organization

/** The reads of one unknown tag since the last write. */
export type UnknownTagEntry = {
  org_id: number
  tag_type: string
  value: string
  ibeacon: string | null
  first_seen_ms: number
  last_seen_ms: number
  reads: number
  reader_key: string
  antenna: number
  rssi_dbm: number | null
}

type Name = { org_id: number; tag_type: string; value: string }

/**
 * Adds the entries to the rows of their tags. Sorted, so that two replicas lock the rows in one order. Returns the
 * organizations and types that got new tags.
 */
export async function addUnknownTags(
  db: Db,
  entries: readonly UnknownTagEntry[],
): Promise<{ org_id: number; tag_type: string }[]> {
  const sorted = entries.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const { rows } = await sql<{ org_id: number; tag_type: string; inserted: boolean }>`
    insert into unknown_tag as u
      (org_id, tag_type, value, ibeacon, first_seen_at, last_seen_at, reads, reader_key, antenna, rssi_dbm)
    select org_id, tag_type, value, ibeacon, ${instant('first_seen_ms')}, ${instant('last_seen_ms')}, reads, reader_key,
           antenna, rssi_dbm
    from jsonb_to_recordset(${JSON.stringify(sorted)}::jsonb) as n (
      org_id bigint, tag_type text, value text, ibeacon text, first_seen_ms float8, last_seen_ms float8, reads bigint,
      reader_key text, antenna int, rssi_dbm real)
    on conflict (org_id, tag_type, value) do update set
      first_seen_at = least(u.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at),
      reads = u.reads + excluded.reads, ibeacon = coalesce(excluded.ibeacon, u.ibeacon),
      reader_key = excluded.reader_key, antenna = excluded.antenna, rssi_dbm = excluded.rssi_dbm
    returning org_id, tag_type, xmax = 0 as inserted`.execute(db)
  const grown = rows.filter(({ inserted }) => inserted)
  return [...new Map(grown.map((row) => [`${row.org_id} ${row.tag_type}`, row])).values()]
}

const nameOf = ({ org_id, tag_type, value }: Name) => `${org_id} ${tag_type} ${value}`

/** Deletes all but the newest tags of each list. */
export async function trimUnknownTags(
  db: Db,
  lists: readonly { org_id: number; tag_type: string }[],
): Promise<void> {
  await sql`
    delete from unknown_tag u using (
      select last.* from jsonb_to_recordset(${JSON.stringify(lists)}::jsonb) as l (org_id bigint, tag_type text)
      cross join lateral (
        select x.org_id, x.tag_type, x.last_seen_at, x.id from unknown_tag x
        where x.org_id = l.org_id and x.tag_type = l.tag_type
        order by x.last_seen_at desc, x.id desc offset ${MAX_UNKNOWN_TAGS} limit 1) last) cut
    where u.org_id = cut.org_id and u.tag_type = cut.tag_type
      and (u.last_seen_at, u.id) <= (cut.last_seen_at, cut.id)`.execute(db)
}

// The expression of the index in migration 0134. It keeps `0x` and URNs.
const matchOfTag = sql.raw(`(case t.tag_type
  when 'barcode' then normalize(translate(btrim(t.value, E' \\t\\n\\r'), '␜␝␞␟␄', E'\\x1c\\x1d\\x1e\\x1f\\x04'), NFC)
  else upper(translate(t.value, E' \\t\\n\\r:-', '')) end)`)

/**
 * Deletes unknown tags that became known before they were added. Runs after they are added, and `deleteKnownTags`
 * runs after a tag is stored: both are separate statements, so that one of the two sees the other's row.
 */
export async function deleteTagsNowKnown(db: Db, names: readonly Name[]): Promise<void> {
  const read = names.map((name) => ({ ...name, texts: textsOf(name) }))
  await sql`
    delete from unknown_tag u
    using jsonb_to_recordset(${JSON.stringify(read)}::jsonb)
      as n (org_id bigint, tag_type text, value text, texts text[])
    where u.org_id = n.org_id and u.tag_type = n.tag_type and u.value = n.value and exists (
      select from tag t where t.org_id = u.org_id and t.tag_type = u.tag_type and t.deleted_at is null
        and ${matchOfTag} = any(n.texts)
      union all
      select from tag t where t.org_id = u.org_id and t.tag_type = 'ble' and t.deleted_at is null
        and ${matchOfTag} = u.ibeacon_match)`.execute(db)
}

/** The values of the index that a tag with this read value may have. */
const textsOf = ({ tag_type, value }: Name) =>
  tag_type === 'rfid' ? matchValues(tag_type, value).flatMap(spellings) : [matchValue(tag_type, value)]

/** The index treats all types like `ble`. */
function spellings(form: string): string[] {
  const epc = decodeEpc(form)
  return [form, `0X${form}`, ...(epc ? [epcUri(epc)] : [])].map((text) => matchValue('ble', text))
}

/** Deletes unknown tags that are attached now, also if they are known by their iBeacon identity. */
export async function deleteKnownTags(
  db: Db,
  tags: readonly (Name & { deleted_at: string | null })[],
): Promise<void> {
  const live = tags.filter((tag) => tag.deleted_at === null)
  if (live.length === 0) return
  const forms = live.flatMap(({ org_id, tag_type, value }) =>
    matchValues(tag_type, value).map((match) => ({ org_id, tag_type, match })),
  )
  await sql`
    with known as (
      select * from jsonb_to_recordset(${JSON.stringify(forms)}::jsonb) as k (org_id bigint, tag_type text, match text))
    delete from unknown_tag where (org_id, id) in (
      select u.org_id, u.id from known k join unknown_tag u
        on u.org_id = k.org_id and u.tag_type = k.tag_type and u.value = k.match
      union all
      select u.org_id, u.id from known k join unknown_tag u
        on u.org_id = k.org_id and k.tag_type = 'ble' and u.ibeacon_match = k.match)`.execute(db)
}

const sortable = {
  last_seen_at: 'last_seen_at',
  first_seen_at: 'first_seen_at',
  reads: 'reads',
  value: 'value',
} as const
const LAST_SEEN_FIRST = [{ field: 'last_seen_at', descending: true }] as const

/** One page, and the number of tags on all pages. Reads all tags of the organization, because there are few. */
export async function listUnknownTags(
  db: Db,
  orgId: number,
  query: UnknownTagsQuery,
): Promise<{ data: UnknownTagView[]; total_count: number }> {
  const found = sql`from unknown_tag where org_id = ${orgId} and ${sql.join(conditions(query), sql` and `)}`
  const { rows } = await sql<UnknownTagView>`
    select id, tag_type, value, ibeacon, first_seen_at, last_seen_at, reads, reader_key, antenna, rssi_dbm
    ${found} order by ${orderBy(query.sort ?? LAST_SEEN_FIRST)}, id
    limit ${query.limit} offset ${query.offset}`.execute(db)
  const counted = await sql<{ total: number }>`select count(*) as total ${found}`.execute(db)
  return { data: rows, total_count: counted.rows[0]?.total ?? 0 }
}

function conditions({
  tag_type,
  reader_key,
  min_reads,
  seen_since,
  q,
}: UnknownTagsQuery): RawBuilder<unknown>[] {
  return [
    sql`true`,
    ...(tag_type ? [sql`tag_type = any(${tag_type}::text[])`] : []),
    ...(reader_key ? [sql`reader_key = any(${reader_key}::text[])`] : []),
    ...(min_reads === undefined ? [] : [sql`reads >= ${min_reads}`]),
    ...(seen_since === undefined ? [] : [sql`last_seen_at >= ${seen_since}`]),
    ...(q === undefined ? [] : [hasText(asTagText(q), ['value', 'ibeacon'])]),
  ]
}

const orderBy = (sort: readonly SortField<keyof typeof sortable>[]) =>
  sql.join(sort.map(({ field, descending }) => sql.raw(`${sortable[field]} ${descending ? 'desc' : 'asc'}`)))

/** False if there was none. */
export async function deleteUnknownTag(db: Db, orgId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('unknown_tag')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

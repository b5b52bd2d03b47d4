import { sql } from 'kysely'
import type { SightingRow, Waiting } from '@whereabouts/contracts/resources/tracking/sightings'
import type { Db } from '../../db.ts'
import { isOfMinute, isWaiting, waitingPlace } from '../../positions/waiting.queries.ts'
import { readPage, seenWithCauses, type HistoryRange } from './page.queries.ts'

/**
 * One page of an asset's history, newest first, with what decided each row. Names and the location of a scan point are
 * those of now, because they have no history.
 */
export async function listSightings(
  db: Db,
  orgId: number,
  assetId: number,
  range: HistoryRange,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: SightingRow[]; total: number }> {
  const page = { limit, offset, descending: true }
  const { entries, before, total } = await readPage({ db, orgId, assetId }, range, page, seenWithCauses)
  const read = entries.map((row, i) =>
    Object.assign({}, row, {
      observed_at: instantOf(row.at),
      minute: instantOf(Math.floor(row.at / MINUTE_US) * MINUTE_US),
      before: instantOf((entries[i + 1] ?? before)?.at ?? null),
      carried_from: instantOf(row.carried_from),
    }),
  )
  if (read.length === 0) return { data: [], total }
  const { rows } = await sql<SightingRow>`
    with read as (
      select * from jsonb_to_recordset(${JSON.stringify(read)}::jsonb) as row (
        minute timestamptz, observed_at timestamptz, before timestamptz, location_id bigint, reader_key text, antenna int,
        tag_id bigint, location_key text, scan_point_id bigint, empty_scan_point_id bigint, outvoted jsonb,
        carried_from timestamptz)
    ), listed as (select listed.*, ${DECIDED_BY} as decided_by from read listed)
    select listed.observed_at, ${locationOf('listed.location_id', 'l')} as location, decided_by,
           case when decided_by = 'location_key' then listed.location_key end as location_key,
           ${TAG} as tag, ${READER} as reader, listed.antenna, ${SCAN_POINT} as scan_point,
           ${outvotedOf(orgId)} as outvoted, listed.carried_from,
           floor(extract(epoch from listed.observed_at - listed.before))::bigint as duration_seconds
    from listed
    left join location l on l.org_id = ${orgId} and l.id = listed.location_id
    left join tag t on t.org_id = ${orgId} and t.id = listed.tag_id and decided_by <> 'save'
    left join reader r on r.org_id = ${orgId} and r.reader_key = listed.reader_key
    left join scan_point p on p.org_id = ${orgId} and p.id = ${SCAN_POINT_ID} and decided_by = 'scan_point'
    left join location pl on pl.org_id = ${orgId} and pl.id = p.location_id
    left join position now on now.org_id = ${orgId} and now.asset_id = ${assetId} and now.minute = listed.minute
      and ${isOfMinute('now')}
    order by listed.minute desc`.execute(db)
  return { data: rows, total }
}

const MINUTE_US = 60_000_000

/** From microseconds since 1970. */
const instantOf = (us: number | null) =>
  us === null
    ? null
    : new Date(Math.floor(us / 1_000)).toISOString().replace('Z', `${String(us % 1_000).padStart(3, '0')}Z`)

/** Only saves have no reader (D8.5). Null for a row that an earlier release wrote or changed. */
const DECIDED_BY = sql.raw(`case
  when listed.reader_key is null then 'save'
  when listed.location_id is null then case when listed.empty_scan_point_id is not null then 'scan_point' end
  when listed.location_key is not null then 'location_key'
  when listed.scan_point_id is not null then 'scan_point'
  when listed.outvoted is not null then 'outvoted' end`)

const SCAN_POINT_ID = sql.raw(
  'case when listed.location_id is null then listed.empty_scan_point_id else listed.scan_point_id end',
)

/**
 * What was set aside in the minute of the row, strongest first. While the minute is the newest one, it is with the
 * position. Each location is looked up by its key (`offset 0`).
 */
const outvotedOf = (orgId: number) => sql`coalesce((
  select json_agg(json_build_object(
    'location', ${locationOf("(o.read ->> 'place')::bigint", 'ol')}, 'reader_key', o.read -> 'reader_key',
    'rssi', o.read -> 'rssi', 'reads', o.read -> 'reads') order by o.n)
  from jsonb_array_elements(coalesce(now.evidence -> 'outvoted', listed.outvoted)) with ordinality as o (read, n)
  left join lateral (
    select x.external_key, x.name, x.deleted_at from location x
    where x.org_id = ${orgId} and x.id = (o.read ->> 'place')::bigint offset 0) ol on true), '[]')`

/** A deleted location keeps its id; its key and name are null (D8.3). */
const locationOf = (id: string, row: string) =>
  sql.raw(`case when ${id} is not null then json_build_object(
    'id', ${id}, 'external_key', case when ${row}.deleted_at is null then ${row}.external_key end,
    'name', case when ${row}.deleted_at is null then ${row}.name end) end`)

/** Also a tag that was detached since. */
const TAG = sql.raw(`case when t.id is not null then json_build_object(
  'id', t.id, 'tag_type', t.tag_type, 'value', t.value) end`)

const READER = sql.raw(`case when listed.reader_key is not null then json_build_object(
  'reader_key', listed.reader_key, 'id', r.id, 'name', r.name) end`)

const SCAN_POINT = sql`case when p.id is not null then json_build_object(
  'id', p.id, 'name', p.name, 'location', ${locationOf('p.location_id', 'pl')}) end`

/** The place where the asset was read last, if its row has another one. */
export async function findWaiting(db: Db, orgId: number, assetId: number): Promise<Waiting | null> {
  const { rows } = await sql<{ location: Waiting['location']; at: number }>`
    select ${locationOf('w.place', 'l')} as location, w.at
    from (
      select ${waitingPlace('p')} as place, (p.evidence -> 'last' ->> 'at')::bigint as at from position p
      where p.org_id = ${orgId} and p.asset_id = ${assetId} and ${isWaiting('p')}) w
    left join location l on l.org_id = ${orgId} and l.id = w.place`.execute(db)
  const [row] = rows
  return row ? { location: row.location, at: new Date(row.at).toISOString() } : null
}

import { sql } from 'kysely'
import type { SightingRow } from '@whereabouts/contracts/sightings'
import type { Db } from '../db.ts'
import { DURATION, listed, type Minutes } from './history.queries.ts'

/**
 * One page of an asset's history, newest first, with what decided each row. Names and the location of a scan point are
 * those of now, because they have no history.
 */
export async function listSightings(
  db: Db,
  orgId: number,
  assetId: number,
  minutes: Minutes,
  { limit, offset }: { limit: number; offset: number },
): Promise<SightingRow[]> {
  const { rows } = await sql<SightingRow>`
    with ${listed(orgId, assetId, minutes, { limit, offset })},
    decided as (select listed.*, ${DECIDED_BY} as decided_by from listed)
    select listed.observed_at, ${locationOf('listed.location_id', 'l')} as location, decided_by,
           case when decided_by = 'location_key' then listed.location_key end as location_key,
           ${TAG} as tag, ${READER} as reader, listed.antenna, ${SCAN_POINT} as scan_point,
           ${DURATION} as duration_seconds
    from decided listed
    left join location l on l.org_id = ${orgId} and l.id = listed.location_id
    left join tag t on t.org_id = ${orgId} and t.id = listed.tag_id and decided_by in ('location_key', 'scan_point')
    left join reader r on r.org_id = ${orgId} and r.reader_key = listed.reader_key
    left join scan_point p on p.org_id = ${orgId} and p.id = ${SCAN_POINT_ID} and decided_by = 'scan_point'
    left join location pl on pl.org_id = ${orgId} and pl.id = p.location_id
    order by listed.minute desc`.execute(db)
  return rows
}

/** Only saves have no reader (D8.5). Null for a row that an earlier release wrote or changed. */
const DECIDED_BY = sql.raw(`case
  when listed.reader_key is null then 'save'
  when listed.location_id is null then case when listed.empty_scan_point_id is not null then 'scan_point' end
  when listed.location_key is not null then 'location_key'
  when listed.scan_point_id is not null then 'scan_point' end`)

const SCAN_POINT_ID = sql.raw(
  'case when listed.location_id is null then listed.empty_scan_point_id else listed.scan_point_id end',
)

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

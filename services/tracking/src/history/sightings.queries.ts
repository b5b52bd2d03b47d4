import { sql } from 'kysely'
import type { SightingRow } from '@whereabouts/contracts/sightings'
import type { Db } from '../db.ts'
import { DURATION, listed } from './history.queries.ts'

/** The whole history. */
export const EVER = { first: undefined, last: undefined }

/**
 * One page of an asset's history, newest first, with the reader and the scan point of each row. Their names are those
 * of today, because they have no history.
 */
export async function listSightings(
  db: Db,
  orgId: number,
  assetId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<SightingRow[]> {
  const { rows } = await sql<SightingRow>`
    with ${listed(orgId, assetId, EVER, { limit, offset, descending: true })}
    select listed.observed_at, ${LOCATION} as location, ${READER} as reader, listed.antenna,
           ${SCAN_POINT} as scan_point, ${DURATION} as duration_seconds
    from listed
    left join location l on l.org_id = ${orgId} and l.id = listed.location_id
    left join reader r on r.org_id = ${orgId} and r.reader_key = listed.reader_key
    left join scan_point p on p.org_id = ${orgId} and p.reader_id = r.id and p.antenna = listed.antenna
    order by listed.minute desc`.execute(db)
  return rows
}

/** A deleted location keeps its id; its key and name are null (D8.3). */
const LOCATION = sql.raw(`case when listed.location_id is not null then json_build_object(
  'id', listed.location_id, 'external_key', case when l.deleted_at is null then l.external_key end,
  'name', case when l.deleted_at is null then l.name end) end`)

/** Null for a save (D8.5). */
const READER = sql.raw(`case when listed.reader_key is not null then json_build_object(
  'reader_key', listed.reader_key, 'id', r.id, 'name', r.name) end`)

const SCAN_POINT = sql.raw(
  `case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end`,
)

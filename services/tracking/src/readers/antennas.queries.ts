import { sql } from 'kysely'
import { REMEMBERED_MS } from '../as-of.ts'
import type { Db } from '../db.ts'
import { inScope, type ReaderScope } from './readers.queries.ts'

/** What an antenna stands for, or stood for from an instant on; `scan_point_id` is null for one without a scan point. */
export type Antenna = {
  org_id: number
  reader_key: string
  antenna: number
  /** Null: now. Minus infinity: before the first change that is known. */
  changed_ms: number | null
  scan_point_id: number | null
  location_id: number | null
  min_rssi_dbm: number | null
  rssi_offset_db: number
}

/**
 * The scan points of these readers, or of all organizations; and of the antennas that changed lately these changes and the newest
 * one before, the oldest first. One statement, so that both are of the same instant.
 */
export async function listAntennas(db: Db, scope?: ReaderScope): Promise<Antenna[]> {
  const since = sql`clock_timestamp() - ${REMEMBERED_MS} * interval '1 millisecond'`
  const { rows } = await sql<Antenna>`
    select r.org_id, r.reader_key, p.antenna, null::float8 as changed_ms, p.id as scan_point_id, p.location_id,
           p.min_rssi_dbm, p.rssi_offset_db
    from (select * from reader where ${inScope(scope)}) as r
    join scan_point as p on p.org_id = r.org_id and p.reader_id = r.id
    union all
    select c.org_id, c.reader_key, c.antenna, (extract(epoch from c.changed_at) * 1000)::float8, c.scan_point_id,
           c.location_id, null, 0
    from (select distinct org_id, reader_key, antenna from scan_point_change
          where changed_at >= ${since} and ${inScope(scope)}) as lately
    join scan_point_change as c using (org_id, reader_key, antenna)
    where c.changed_at >= ${since} or not exists (
      select from scan_point_change as newer
      where newer.org_id = c.org_id and newer.reader_key = c.reader_key and newer.antenna = c.antenna
        and newer.changed_at > c.changed_at and newer.changed_at < ${since})
    order by changed_ms`.execute(db)
  return rows
}

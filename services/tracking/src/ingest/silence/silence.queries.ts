import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { silence } from '../../readers/health/reader-status.queries.ts'

/** A configured reader that went silent or was heard again. `before` is null if it went silent. */
export type ChangedReader = {
  org_id: number
  id: number
  reader_key: string
  name: string
  last_seen_at: string
  /** The newest message of the time before the silence that has now ended. */
  before: string | null
  location_ids: number[]
}

/**
 * Notes up to `most` readers that went silent, or were heard since they did, and returns them: each change once, however
 * many processes look at the same time. A reader is silent as the list of readers says, but as of `untilMs`: all that
 * arrived before is in its health. Time in which no canary was stored does not count as silence: a reader cannot be heard then.
 */
export async function noteChanges(
  tx: Tx,
  untilMs: number | undefined,
  most: number,
): Promise<ChangedReader[]> {
  const until = untilMs === undefined ? null : new Date(untilMs).toISOString()
  const { rows } = await sql<ChangedReader>`
    with changed as materialized (
      select r.id, h.last_seen_at, r.silent_since as before
      from reader r join reader_health h on h.org_id = r.org_id and h.reader_key = r.reader_key
      where case when r.silent_since is not null then h.last_seen_at > r.silent_since
        else greatest(h.last_seen_at, r.created_at, (select steady_since from canary)) <= ${until}::timestamptz - ${silence} end
      order by r.id limit ${most} for update of r skip locked
    )
    update reader r set silent_since = case when changed.before is null then changed.last_seen_at end
    from changed where r.id = changed.id
    returning r.org_id, r.id, r.reader_key, r.name, changed.last_seen_at, changed.before, coalesce((
      select jsonb_agg(distinct p.location_id) from scan_point p
      where p.reader_id = r.id and p.location_id is not null), '[]') as location_ids`.execute(tx)
  return rows
}

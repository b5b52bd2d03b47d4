import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { silence } from './reader-status.queries.ts'

type Kind = 'configured' | 'discovered'
type State = 'online' | 'silent' | 'never_heard'

export type ReaderCounts = {
  states: Partial<Record<Kind, Partial<Record<State, number>>>>
  /** Of readers that were heard in the last ten minutes. */
  skewed: number
  troubled: number
}

const TEN_MINUTES_AGO = sql`clock_timestamp() - interval '10 minutes'`

type Row = { kind: Kind; state: State; readers: number; skewed: number; troubled: number }

/** Of all organizations, with the states of `listReaders`, where a degraded reader is online. It reads all readers: for a loop, not for a request. */
export async function countReaders(db: Db): Promise<ReaderCounts> {
  const { rows } = await sql<Row>`
    select case when r.id is null then 'discovered' else 'configured' end as kind,
           case when h.last_seen_at is null then 'never_heard'
                when h.last_seen_at > clock_timestamp() - ${silence} then 'online' else 'silent' end as state,
           count(*) as readers,
           count(*) filter (where h.last_seen_at > ${TEN_MINUTES_AGO} and abs(h.clock_offset_ms) > 30000
             and r.time_source is distinct from 'receipt') as skewed,
           count(*) filter (where h.last_problem_at > ${TEN_MINUTES_AGO}) as troubled
    from reader r full join reader_health h on h.org_id = r.org_id and h.reader_key = r.reader_key
    group by 1, 2`.execute(db)
  const counts: ReaderCounts = { states: {}, skewed: 0, troubled: 0 }
  for (const { kind, state, readers, skewed, troubled } of rows) {
    counts.states[kind] = { ...counts.states[kind], [state]: readers }
    counts.skewed += skewed
    counts.troubled += troubled
  }
  return counts
}

/** Of all organizations. */
export async function countUnknownTags(db: Db): Promise<number> {
  const { rows } = await sql<{ tags: number }>`select count(*) as tags from unknown_tag`.execute(db)
  return rows[0]?.tags ?? 0
}

import { limits } from '@whereabouts/contracts/limits'
import { sql, type Kysely } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'
import { instant } from '../../sql-times.ts'
import { COUNTS, type HealthEntry } from './health-entry.ts'
import { messageHead } from './message-head.ts'
import type { ProblemMessage } from './problem-message.ts'
import { addReaderHours } from './reader-hours.queries.ts'
import { addReaderMessages } from './reader-messages.queries.ts'
import { lockReaders, withConditions } from './reader-conditions.ts'
import { addedReads } from './recent-reads.ts'

/** The newest discovered readers kept per organization: their names come from outside and must not fill the table. */
export const MAX_DISCOVERED = limits.newReaders.organization

const columns = sql.raw(COUNTS.join(', '))
const counts = sql.raw(COUNTS.map((count) => `${count} bigint`).join(', '))
const sums = sql.raw(COUNTS.map((count) => `${count} = h.${count} + excluded.${count}`).join(', '))

/** Of the message of the last problem, in the list of readers. `reader_message` has more of it. */
const LAST_PROBLEM_BYTES = 1_024

/** Rows of other tables stay out, and messages become text. */
function asStored(name: string, value: unknown): unknown {
  if (name === 'problem_messages' || name === 'hours') return undefined
  if (name !== 'last_problem_message' || value === null) return value
  return messageHead((value as ProblemMessage).head, LAST_PROBLEM_BYTES)
}

/** Longer pauses are outages, not the usual pause. */
const LONGEST_PAUSE_MS = 600_000
const pause = sql.raw(
  '(extract(epoch from greatest(excluded.last_seen_at, h.last_seen_at) - h.last_seen_at) * 1000)::bigint',
)

/** Adds the entries to the rows of their readers and hours. Returns the organizations that got new readers. */
export function addHealth(db: Kysely<Tables>, entries: readonly HealthEntry[]): Promise<number[]> {
  return db.transaction().execute(async (tx) => {
    const { grown, conditions } = await lockReaders(tx, entries)
    await addReaders(
      tx,
      entries.map((entry, index) => withConditions(entry, conditions[index])),
    )
    await addReaderHours(tx, entries)
    await addReaderMessages(tx, entries)
    return grown
  })
}

/** The usual pause is the longest between two writes, which decays by half in two hours. Call under `lockReaders`. */
async function addReaders(db: Tx, entries: readonly HealthEntry[]): Promise<void> {
  const sent = JSON.stringify(entries, asStored)
  await sql`
    insert into reader_health as h (org_id, reader_key, last_seen_at, identity, last_problem, last_problem_at,
      last_problem_message, clock_offset_ms, right_seen_at, right_newest_at, clock, identities, device, rate_minute, rate_reads, rate_before, ${columns})
    select n.org_id, n.reader_key, ${instant('n.last_seen_ms')}, n.identity, n.last_problem,
      ${instant('n.last_problem_ms')}, n.last_problem_message, n.clock_offset_ms, ${instant('n.right_seen_ms')},
      ${instant('n.right_newest_ms')}, n.clock, n.identities, n.device, n.rate_minute, n.rate_reads, n.rate_before, ${columns}
    from jsonb_to_recordset(${sent}::jsonb) as n (
      org_id bigint, reader_key text, last_seen_ms float8, identity text, last_problem text, last_problem_ms float8,
      last_problem_message text, clock_offset_ms bigint, right_seen_ms float8, right_newest_ms float8,
      clock jsonb, identities jsonb, device jsonb, rate_minute int, rate_reads bigint,
      rate_before bigint, ${counts})
    on conflict (org_id, reader_key) do update set
      last_seen_at = greatest(h.last_seen_at, excluded.last_seen_at),
      usual_pause_ms = case when ${pause} between 1 and ${LONGEST_PAUSE_MS}
        then greatest(${pause}, (h.usual_pause_ms * power(0.5, ${pause} / 7200000.0))::bigint)
        else h.usual_pause_ms end,
      identity = coalesce(excluded.identity, h.identity),
      last_problem = coalesce(excluded.last_problem, h.last_problem),
      last_problem_at = coalesce(excluded.last_problem_at, h.last_problem_at),
      last_problem_message = case when excluded.last_problem is null then h.last_problem_message
        else excluded.last_problem_message end,
      clock_offset_ms = coalesce(excluded.clock_offset_ms, h.clock_offset_ms),
      right_seen_at = greatest(h.right_seen_at, excluded.right_seen_at),
      right_newest_at = greatest(h.right_newest_at, excluded.right_newest_at),
      clock = excluded.clock, identities = excluded.identities,
      device = case when excluded.device is null then h.device
        else coalesce(h.device, '{}') || excluded.device end,
      ${addedReads('h', 'excluded')}, ${sums}`.execute(db)
}

/** Deletes all discovered readers of these organizations but the newest, with their hours. */
export async function trimDiscovered(db: Db, orgIds: readonly number[]): Promise<void> {
  await sql`
    with gone as (
      delete from reader_health h using (
      select last.* from unnest(${orgIds}::bigint[]) as o (org_id)
      cross join lateral (
        select x.org_id, x.last_seen_at, x.reader_key from reader_health x
        where x.org_id = o.org_id
          and not exists (select from reader r where r.org_id = x.org_id and r.reader_key = x.reader_key)
        order by x.last_seen_at desc, x.reader_key desc offset ${MAX_DISCOVERED} limit 1) last) cut
    where h.org_id = cut.org_id and (h.last_seen_at, h.reader_key) <= (cut.last_seen_at, cut.reader_key)
      and not exists (select from reader r where r.org_id = h.org_id and r.reader_key = h.reader_key)
      returning h.org_id, h.reader_key),
    messages as (
      delete from reader_message m using gone g where m.org_id = g.org_id and m.reader_key = g.reader_key)
    delete from reader_hour x using gone g where x.org_id = g.org_id and x.reader_key = g.reader_key`.execute(
    db,
  )
}

/** When the newest message of the reader came, of any kind; null if none did. */
export async function findLastSeen(db: Db, orgId: number, readerKey: string): Promise<string | null> {
  const row = await db
    .selectFrom('reader_health')
    .select('last_seen_at')
    .where('org_id', '=', orgId)
    .where('reader_key', '=', readerKey)
    .executeTakeFirst()
  return row?.last_seen_at ?? null
}

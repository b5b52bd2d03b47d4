import { sql } from 'kysely'
import type { Attempt, Db, DeliveryState } from '../db.ts'
import { recordNotices, type NoticeRow } from './notices.ts'

/** What became of a delivery: after an attempt, or without one. */
export type Result = {
  webhook_id: number
  org_id: number
  seq: number
  delivery_id: string
  type: string
  thing: string | null
  occurred_at: string
  state: DeliveryState
  /** Made so far. */
  attempts: number
  /** Until the next attempt of what waits. Null: as soon as no earlier event of the same thing waits. */
  wait_ms: number | null
  attempt: Attempt | null
}

/** The claimed endpoint after these results. */
export type Progress = {
  id: number
  /** Everything up to here is a row, or not for the endpoint. */
  moves: number
  others: number
  /** The claim ends. */
  release: boolean
  /** Whether an attempt succeeded, how many failed after the last success, and when the first of them was made. */
  succeeded: boolean
  failed: number
  failing_since: string | null
}

/** Attempts that the log of one delivery keeps, after many repetitions. */
const LOG_ATTEMPTS = 100

/**
 * Writes results, counts, positions and claims in one transaction. What another process has meanwhile ended stays as it
 * is; so do the positions of an endpoint that it has claimed. An endpoint that was deleted leaves nothing behind.
 */
export function saveResults(
  across: Db,
  { worker, leaseMs }: { worker: string; leaseMs: number },
  results: readonly Result[],
  endpoints: readonly Progress[],
): Promise<void> {
  const ended = results.filter(({ thing, state }) => thing !== null && state !== 'waiting')
  return across.transaction().execute(async (tx) => {
    const { rows } = await sql<NoticeRow>`
      with progress as (
        select * from jsonb_to_recordset(${JSON.stringify(endpoints)}::jsonb) as p (id bigint, moves bigint, others bigint,
          release boolean, succeeded boolean, failed integer, failing_since timestamptz)
      )
      update webhook w set
        moves_position = p.moves, others_position = p.others,
        claimed_by = case when p.release then null else w.claimed_by end,
        claimed_until = case when not p.release
          then clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}::float8) end,
        failures = case when p.succeeded then 0 else w.failures end + p.failed,
        failing_since = case when p.succeeded or w.failing_since is null then p.failing_since else w.failing_since end,
        health = case when p.succeeded then 'ok' else w.health end
      from progress p
      where w.id = p.id and w.claimed_by = ${worker}::uuid
      returning w.org_id, w.id, w.url,
        case when old.health = 'failing' and new.health = 'ok' then 'webhook.recovered' end as type`.execute(
      tx,
    )
    if (results.length > 0) await saveRows(tx, results)
    if (ended.length > 0) await wakeNext(tx, ended)
    await recordNotices(tx, rows)
  })
}

/** A replay or a resend has reset the row since the attempt began: it still waits, and has the attempt in its log. */
const startedAgain = sql`excluded.attempts > d.attempts + 1`

async function saveRows(tx: Db, results: readonly Result[]): Promise<void> {
  await sql`
    with made as (
      select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (webhook_id bigint, org_id bigint,
        seq bigint, delivery_id uuid, type text, thing text, occurred_at timestamptz, state text, attempts smallint,
        wait_ms float8, attempt jsonb)
    ), alive as (
      select id from webhook where id in (select webhook_id from made) order by id for key share
    ), stored as (
      insert into delivery as d (webhook_id, org_id, seq, delivery_id, type, thing, occurred_at, state, attempts,
        first_at, last_at, next_attempt_at, log)
      select m.webhook_id, m.org_id, m.seq, m.delivery_id, m.type, m.thing, m.occurred_at, m.state, m.attempts,
        (m.attempt ->> 'at')::timestamptz, coalesce((m.attempt ->> 'at')::timestamptz, clock_timestamp()),
        case when m.state <> 'waiting' then null
          when m.wait_ms is null then case when exists (select from delivery b where b.webhook_id = m.webhook_id
              and b.state = 'waiting' and b.thing = m.thing and b.seq < m.seq)
            or exists (select from made b where b.webhook_id = m.webhook_id and b.state = 'waiting'
              and b.thing = m.thing and b.seq < m.seq) then 'infinity' else clock_timestamp() end
          else clock_timestamp() + m.wait_ms * interval '1 millisecond' end,
        case when m.attempt is null then '[]' else jsonb_build_array(m.attempt) end
      from made m join alive a on a.id = m.webhook_id
      order by m.webhook_id, m.seq
      on conflict (webhook_id, seq) do update set (state, attempts, first_at, last_at, next_attempt_at, log) = row (
          case when ${startedAgain} then d.state else excluded.state end,
          case when ${startedAgain} then d.attempts else excluded.attempts end,
          coalesce(d.first_at, excluded.first_at), excluded.last_at,
          case when ${startedAgain} then d.next_attempt_at else excluded.next_attempt_at end,
          case when jsonb_array_length(d.log) < ${LOG_ATTEMPTS}::int then d.log else d.log - 0 end || excluded.log)
        where d.state = 'waiting'
    )
    insert into delivery_hour as h (webhook_id, org_id, hour, delivered, failed)
    select m.webhook_id, m.org_id, date_trunc('hour', clock_timestamp()),
      count(*) filter (where m.state = 'delivered'), count(*) filter (where m.state <> 'delivered')
    from made m join alive a on a.id = m.webhook_id
    where m.attempt is not null group by m.webhook_id, m.org_id order by m.webhook_id
    on conflict (webhook_id, hour) do update set
      delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed`.execute(tx)
}

/** What waits for an event of the same thing that has ended now is due. */
async function wakeNext(tx: Db, ended: readonly Result[]): Promise<void> {
  await sql`
    update delivery d set next_attempt_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) as e (webhook_id bigint, thing text)
    where d.webhook_id = e.webhook_id and d.state = 'waiting' and d.next_attempt_at = 'infinity'
      and d.thing = e.thing and d.seq = (select min(seq) from delivery n where n.webhook_id = e.webhook_id
        and n.state = 'waiting' and n.thing = e.thing)`.execute(tx)
}

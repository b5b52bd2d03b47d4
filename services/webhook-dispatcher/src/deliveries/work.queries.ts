import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { About, Db, Filter, Retry } from '../db.ts'
import { thingOf } from '../events/thing.sql.ts'
import { sealOf } from '../webhooks/webhooks.queries.ts'
import type { SealedSecret, SealedSecrets } from '../webhooks/secrets.ts'

/** The other events that one look may pass over because the endpoint does not want them. */
export const MOST_PASSED = 1_000

/** What the claiming process knows of an endpoint: up to where it has read, and how many more deliveries it can begin. */
export type Asked = { id: number; moves: number; others: number; want: number; running: number }

/** The endpoint as it is now (D11.3). */
export type Target = SealedSecrets & {
  id: number
  org_id: number
  url: string
  enabled: boolean
  retry: Retry
  event_types: string[]
  filter: Filter | null
}

/** A delivery to begin. */
export type Work = {
  /** `due`: a row that waits. `move`, `other`: an event that follows the position. */
  kind: 'due' | 'move' | 'other'
  seq: number
  delivery_id: string
  type: string
  occurred_at: string
  recorded_at: string
  /** JSON. Null: the event was removed. */
  data: string | null
  about: About | null
  trace: string | null
  /** What the event is about; only where the order matters. */
  thing: string | null
  /** Attempts made before. */
  attempts: number
  sinceFirstMs: number
  /** There is a row already: of a replay, or of a process that crashed. */
  isKnown: boolean
  /** An earlier event of the same thing waits. */
  isBehind: boolean
}

/** `passedTo`: events up to here were looked at, besides moves. `head`: the newest event. */
export type Found = {
  target: Target
  head: number
  passed: number
  passedTo: number | null
  /** Until the next row is due; null if none waits for a time. */
  dueInMs: number | null
  work: Work[]
}

/**
 * What these endpoints, claimed by `worker`, can begin: up to `want` rows that are due, moves and other events each, in
 * their order. Endpoints that another process has claimed meanwhile are missing. Moves are read ahead of all else, so an
 * import does not delay them; where the order of a thing counts (`extended`), all types are read in one order.
 */
export async function findWork(across: Db, worker: string, asked: readonly Asked[]): Promise<Found[]> {
  const column = (name: keyof Asked) => bigints(asked.map((one) => one[name]))
  const { rows } = await sql<Row>`${fixedPlan}
    with endpoint as materialized (
      select a.moves, a.others, a.want, a.running, w.id, w.org_id, w.url, w.enabled, w.retry, w.event_types, w.filter,
        w.secret_ciphertext, w.secret_key_id, w.previous_ciphertext, w.previous_key_id,
        coalesce(w.previous_until > clock_timestamp(), false) as previous_signs,
        coalesce(h.seq, 0) as head, w.retry = 'extended' as in_order
      from unnest(${column('id')}, ${column('moves')}, ${column('others')}, ${column('want')}, ${column('running')})
        as a (id, moves, others, want, running)
      join webhook w on w.id = a.id and w.claimed_by = ${worker}::uuid
      left join event_head h on h.org_id = w.org_id
    ), passed as materialized (
      select e.id, v.seq, v.type = any(e.event_types) and (e.in_order or v.type <> 'asset.moved') as is_wanted
      from endpoint e cross join lateral (
        select seq, type from event where org_id = e.org_id and seq > e.others order by seq limit ${MOST_PASSED}
      ) v
      where e.enabled and (e.in_order or e.event_types <> '{asset.moved}')
    ), found as materialized (
      select e.id, 'due' as kind, d.seq from endpoint e cross join lateral (
        select d.seq from delivery d
        where d.webhook_id = e.id and d.state = 'waiting' and d.next_attempt_at <= statement_timestamp()
          and (d.thing is null or not exists (select from delivery b where b.webhook_id = e.id
            and b.state = 'waiting' and b.thing = d.thing and b.seq < d.seq))
        order by d.next_attempt_at limit e.want + e.running
      ) d
      union all
      select e.id, 'move', m.seq from endpoint e cross join lateral (
        select seq from event where org_id = e.org_id and type = 'asset.moved' and seq > e.moves
        order by seq limit e.want
      ) m
      where e.enabled and not e.in_order and 'asset.moved' = any(e.event_types)
      union all
      select n.id, 'other', n.seq from (
        select id, seq, row_number() over (partition by id order by seq) as nth from passed where is_wanted
      ) n join endpoint e on e.id = n.id where n.nth <= e.want
    )
    select e.id, e.org_id, e.url, e.enabled, e.retry, e.event_types, e.filter, e.secret_ciphertext, e.secret_key_id,
      e.previous_ciphertext, e.previous_key_id, e.previous_signs, e.head,
      coalesce(p.passed, 0) as passed, p.passed_to, due.in_ms as due_in_ms,
      f.kind, f.seq, coalesce(v.id, d.delivery_id) as delivery_id, coalesce(v.type, d.type) as type,
      coalesce(v.occurred_at, d.occurred_at) as occurred_at, v.recorded_at, v.data::text as data, v.about, v.trace,
      t.thing, coalesce(d.attempts, 0) as attempts, d.webhook_id is not null as is_known,
      coalesce(1000 * extract(epoch from clock_timestamp() - d.first_at), 0)::float8 as since_first_ms,
      t.thing is not null and exists (select from delivery b where b.webhook_id = e.id and b.state = 'waiting'
        and b.thing = t.thing and b.seq < f.seq) as is_behind
    from endpoint e
    left join (select id, count(*) as passed, max(seq) as passed_to from passed group by id) p on p.id = e.id
    left join lateral (
      select (1000 * extract(epoch from min(next_attempt_at) - clock_timestamp()))::float8 as in_ms
      from delivery where webhook_id = e.id and state = 'waiting' and next_attempt_at < 'infinity'
        and next_attempt_at > statement_timestamp()
    ) due on true
    left join found f on f.id = e.id
    left join lateral (
      select id, type, occurred_at, recorded_at, data, about, trace from event
      where org_id = e.org_id and seq = f.seq offset 0
    ) v on true
    left join lateral (
      select webhook_id, delivery_id, type, occurred_at, attempts, first_at, thing from delivery
      where webhook_id = e.id and seq = f.seq offset 0
    ) d on true
    left join lateral (
      select coalesce(d.thing, case when e.in_order then ${thingOf(sql`v.data`)} end) as thing
    ) t on true
    order by e.id, f.seq`.execute(across)
  return byEndpoint(rows)
}

type Row = Omit<Target, 'previous'> &
  Pick<
    Work,
    'delivery_id' | 'type' | 'occurred_at' | 'recorded_at' | 'data' | 'about' | 'trace' | 'thing'
  > & {
    previous_ciphertext: Buffer | null
    previous_key_id: string | null
    previous_signs: boolean
    head: number
    passed: number
    passed_to: number | null
    due_in_ms: number | null
    kind: Work['kind'] | null
    seq: number | null
    attempts: number
    since_first_ms: number
    is_known: boolean
    is_behind: boolean
  }

function byEndpoint(rows: readonly Row[]): Found[] {
  const found = new Map<number, Found>()
  for (const row of rows) {
    let one = found.get(row.id)
    if (!one) found.set(row.id, (one = foundOf(row)))
    if (row.kind !== null && row.seq !== null) one.work.push(workOf(row, row.kind, row.seq))
  }
  return [...found.values()]
}

function foundOf(row: Row): Found {
  const { id, org_id, url, enabled, retry, event_types, filter, secret_ciphertext, secret_key_id } = row
  const { head, passed, passed_to: passedTo, due_in_ms: dueInMs } = row
  const previous: SealedSecret | undefined = row.previous_signs
    ? sealOf(row.previous_ciphertext, row.previous_key_id)
    : undefined
  const secrets = { secret_ciphertext, secret_key_id, previous }
  const target = { id, org_id, url, enabled, retry, event_types, filter, ...secrets }
  return { target, head, passed, passedTo, dueInMs, work: [] }
}

function workOf(row: Row, kind: Work['kind'], seq: number): Work {
  const { delivery_id, type, occurred_at, recorded_at, data, about, trace, thing, attempts } = row
  const event = { seq, delivery_id, type, occurred_at, recorded_at, data, about, trace, thing }
  return {
    kind,
    ...event,
    attempts,
    sinceFirstMs: row.since_first_ms,
    isKnown: row.is_known,
    isBehind: row.is_behind,
  }
}

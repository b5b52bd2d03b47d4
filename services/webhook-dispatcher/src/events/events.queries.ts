import { bigints, texts } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Db } from '../db.ts'

/**
 * `data` and `about` are JSON. Of an event without an asset or a location there is no `about`. `trace`: `traceparent`, if the trace is
 * recorded.
 */
export type NewEvent = {
  orgId: number
  id: string
  type: string
  occurredAt: string
  data: string
  trace?: string | undefined
  about?: string | undefined
}

/**
 * Records what is new, in this order, in one statement and so one transaction. It holds the heads of the organizations
 * until the commit, so nothing becomes visible in an organization before what has a smaller `seq`. An event that is
 * there already uses up a `seq` that nothing has.
 */
export async function recordEvents(across: Db, events: readonly NewEvent[]): Promise<void> {
  await sql`
    with made as (
      select * from unnest(${bigints(events.map(({ orgId }) => orgId))}, ${texts(events.map(({ id }) => id))},
        ${texts(events.map(({ type }) => type))}, ${texts(events.map(({ occurredAt }) => occurredAt))},
        ${texts(events.map(({ data }) => data))}, ${texts(events.map(({ trace }) => trace ?? null))},
        ${texts(events.map(({ about }) => about ?? null))})
      with ordinality as m (org_id, id, type, occurred_at, data, trace, about, nth)
    ), least as (
      select last_value as seq from revision_seq
    ), head as (
      insert into event_head as h (org_id, seq, recorded_at)
      select org_id, (select seq from least) + count(*), clock_timestamp() from made group by org_id order by org_id
      on conflict (org_id) do update set
        seq = greatest(h.seq + excluded.seq - (select seq from least), excluded.seq),
        recorded_at = greatest(h.recorded_at, clock_timestamp())
      returning org_id, seq, recorded_at
    )
    insert into event (org_id, seq, id, type, occurred_at, recorded_at, data, trace, about)
    select m.org_id, h.seq + 1 - row_number() over (partition by m.org_id order by m.nth desc), m.id::uuid, m.type,
      m.occurred_at::timestamptz, h.recorded_at, m.data::json, m.trace, m.about::jsonb
    from made m join head h on h.org_id = m.org_id
    order by m.org_id, m.nth
    on conflict (org_id, id) do nothing`.execute(across)
}

export type EventRow = {
  seq: number
  id: string
  type: string
  occurred_at: string
  recorded_at: string
  /** JSON. */
  data: string
}

/** Where an organization's order begins and ends. */
type Bounds = {
  /** Of the newest event that was removed: what is kept comes after it. */
  removed: number
  /** Of the newest event. */
  newest: number
  /** No larger one was ever shown. Above `newest` after a restore, until events are recorded again. */
  issued: number
}

/** `read`: how many events the page has passed over or has; `last`: the `seq` of the last of them. */
export type EventsRead = { rows: EventRow[]; bounds: Bounds; read: number; last: number | null }

type Wanted = { after: number; types: readonly string[] | undefined; most: number; mostRead: number }

/**
 * At most `most` events of these types among the `mostRead` that follow `after`, and the bounds of the same moment. Each
 * event is looked up by itself, because a plan for all values would otherwise read all of the organization.
 */
export async function readEvents(db: Db, orgId: number, wanted: Wanted): Promise<EventsRead> {
  const { after, types = [], most, mostRead } = wanted
  const named = types.join(',')
  const { rows } = await sql<
    Bounds & { read: number; last: number | null } & (EventRow | { seq: null })
  >`${fixedPlan}
    with head as materialized (
      select coalesce(max(removed_seq), 0) as removed, coalesce(max(seq), 0) as newest from event_head
      where org_id = ${orgId}
    ), passed as materialized (
      select seq, type from event
      where org_id = ${orgId} and seq > greatest(${after}::bigint, (select removed from head))
      order by seq limit ${mostRead}
    ), wanted as materialized (
      select seq from passed where ${named}::text = '' or type = any(string_to_array(${named}::text, ','))
      order by seq limit ${most}
    )
    select head.removed, head.newest, greatest(head.newest, (select last_value from revision_seq)) as issued,
      (select count(*) from passed) as read, (select max(seq) from passed) as last,
      e.seq, e.id, e.type, e.occurred_at, e.recorded_at, e.data
    from head left join wanted on true
    left join lateral (
      select seq, id, type, occurred_at, recorded_at, data::text as data from event
      where org_id = ${orgId} and seq = wanted.seq offset 0
    ) e on true
    order by e.seq`.execute(db)
  const [first] = rows
  if (!first) throw new Error('there is always one row')
  const { removed, newest, issued, read, last } = first
  return {
    rows: rows.flatMap((row) => (row.seq === null ? [] : [row])),
    bounds: { removed, newest, issued },
    read,
    last,
  }
}

/** `seq` of the newest event of each of these organizations, where there is one. */
export async function newestOf(across: Db, orgIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ org_id: number; seq: number }>`
    select org_id, seq from event_head where org_id = any(${bigints(orgIds)})`.execute(across)
  return new Map(rows.map(({ org_id, seq }) => [org_id, seq]))
}

/** The organizations whose oldest event was recorded before this instant. */
export async function orgsWithOlder(across: Db, before: string): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`
    select h.org_id from event_head h cross join lateral (
      select e.recorded_at from event e where e.org_id = h.org_id and e.seq > h.removed_seq order by e.seq limit 1
    ) oldest
    where oldest.recorded_at < ${before}::timestamptz`.execute(across)
  return rows.map(({ org_id }) => org_id)
}

/**
 * Removes the oldest events of an organization that were recorded before this instant, at most `most`, and keeps in mind
 * up to where. Returns how many; 0 while the organization is being recorded or purged elsewhere.
 */
export async function removeOlder(across: Db, orgId: number, before: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with head as materialized (
      select removed_seq from event_head where org_id = ${orgId} for update skip locked
    ), old as materialized (
      select seq from event
      where org_id = ${orgId} and seq > (select removed_seq from head) and recorded_at < ${before}::timestamptz
      order by seq limit ${most}
    ), removed as (
      delete from event where org_id = ${orgId} and seq = any(array(select seq from old)) returning seq
    ), summed as (
      select max(seq) as seq, count(*) as count from removed
    )
    update event_head h set removed_seq = summed.seq from summed
    where h.org_id = ${orgId} and summed.count > 0 returning summed.count`.execute(across)
  return rows[0]?.count ?? 0
}

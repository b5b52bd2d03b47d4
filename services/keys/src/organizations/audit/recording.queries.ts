import type { AuditEntry } from '@whereabouts/contracts/messages/audit'
import { bigints, texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** Requests name themselves, at any length. */
const MOST_REQUEST_ID = 255

/**
 * Records what is new, in this order, in one statement and so one transaction. It holds the heads of the organizations
 * until the commit, so nothing becomes visible in an organization before what has a smaller `seq`. An entry that is there
 * already uses up a `seq` that nothing has. Users and keys are named as they are named now.
 */
export async function recordAudit(across: Db, entries: readonly AuditEntry[]): Promise<void> {
  const of = (read: (entry: AuditEntry) => string | number | null) =>
    texts(entries.map((entry) => read(entry)?.toString() ?? null))
  await sql`
    with made as (
      select * from unnest(${bigints(entries.map(({ org_id }) => org_id))}, ${of(({ id }) => id)}, ${of(({ at }) => at)},
        ${of(({ actor }) => actor.type)}, ${of(({ actor }) => actor.id)}, ${of(({ action }) => action)},
        ${of(({ subject }) => subject.type)}, ${of(({ subject }) => subject.id)},
        ${of(({ subject }) => subject.external_key)}, ${of(({ changes }) => JSON.stringify(changes))},
        ${of(({ ip }) => ip)}, ${of(({ request_id }) => request_id?.slice(0, MOST_REQUEST_ID) ?? null)})
      with ordinality as m (org_id, id, at, actor_type, actor_id, action, subject_type, subject_id, subject_key, changes,
        ip, request_id, nth)
    ), least as (
      select last_value as seq from audit_seq
    ), head as (
      insert into audit_head as h (org_id, seq, recorded_at)
      select org_id, (select seq from least) + count(*), clock_timestamp() from made group by org_id order by org_id
      on conflict (org_id) do update set
        seq = greatest(h.seq + excluded.seq - (select seq from least), excluded.seq),
        recorded_at = greatest(h.recorded_at, clock_timestamp())
      returning org_id, seq, recorded_at
    )
    insert into audit (org_id, seq, id, at, recorded_at, actor_type, actor_id, actor_name, action, subject_type, subject_id,
      subject_key, changes, ip, request_id)
    select m.org_id, h.seq + 1 - row_number() over (partition by m.org_id order by m.nth desc), m.id::uuid,
      m.at::timestamptz, h.recorded_at, m.actor_type, coalesce(k.id, u.id), coalesce(k.name, u.name), m.action,
      m.subject_type, m.subject_id::bigint, m.subject_key, m.changes::json, m.ip, m.request_id
    from made m join head h on h.org_id = m.org_id
    left join app_user u on m.actor_type = 'user' and u.id = case when m.actor_type = 'user' then m.actor_id::bigint end
    left join api_key k on m.actor_type = 'key' and k.org_id = m.org_id
      and k.jti = case when m.actor_type = 'key' then m.actor_id::uuid end
    order by m.org_id, m.nth
    on conflict (org_id, id) do nothing`.execute(across)
}

/**
 * Removes the oldest rows that were recorded more than `KEEP_DAYS` ago, of one organization and at most `limit`, and keeps
 * in mind up to where. Returns how many.
 */
export async function purgeOldAudit(across: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with bound as (
      select clock_timestamp() - make_interval(days => ${KEEP_DAYS}) as at
    ), head as materialized (
      select h.org_id, h.removed_seq from audit_head h
      where (
        select a.recorded_at from audit a where a.org_id = h.org_id and a.seq > h.removed_seq order by a.seq limit 1
      ) < (select at from bound)
      order by h.org_id limit 1 for update skip locked
    ), old as materialized (
      select a.org_id, a.seq from audit a join head on a.org_id = head.org_id
      where a.seq > head.removed_seq and a.recorded_at < (select at from bound)
      order by a.seq limit ${limit}
    ), removed as (
      delete from audit a using old where a.org_id = old.org_id and a.seq = old.seq returning a.org_id, a.seq
    ), summed as (
      select org_id, max(seq) as seq, count(*) as count from removed group by org_id
    )
    update audit_head h set removed_seq = summed.seq from summed
    where h.org_id = summed.org_id returning summed.count`.execute(across)
  return rows[0]?.count ?? 0
}

/** D15.4. */
const KEEP_DAYS = 400

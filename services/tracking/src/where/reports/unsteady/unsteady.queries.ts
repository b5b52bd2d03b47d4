import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../../db.ts'
import { isListed } from '../listed.sql.ts'
import { isWaiting, waitingPlace } from '../../../positions/waiting.queries.ts'

type Thing = { id: number; external_key: string | null; name: string | null }

export type UnsteadyAsset = {
  asset: { id: number; external_key: string; name: string }
  reason: 'flapping' | 'waiting'
  locations: Thing[]
  movements: number
  last_at: string
  /** Of the tag that was read last; null if it is not known. */
  tag_type: string | null
}

/** As many movements within ten minutes are back and forth. A minute has one at most. */
const TIMES = 5
const TEN_MINUTES = sql.raw(`interval '10 minutes'`)
const TEN_MINUTES_MS = 10 * 60_000
const DAY_MS = 86_400_000
/** Of any `TIMES` within ten minutes, two steps of ten minutes have all of them, so that one has as many as this. */
const TIMES_IN_A_STEP = Math.ceil(TIMES / 2)

/** A day that ends now. */
const dayUntil = (nowMs: number) => ({
  from: instantOf(nowMs - DAY_MS),
  to: instantOf(nowMs),
  waitsSince: instantOf(nowMs - TEN_MINUTES_MS),
})
type Day = ReturnType<typeof dayUntil>

/**
 * Assets that went back and forth in the last 24 hours, and assets whose read waits, the newest first. One pass over the
 * movements of the day, ten minutes at a time, finds the few assets that can be among them; their movements are looked up by
 * key. A million movements of 200 000 assets take 0.5 s.
 */
export async function listUnsteady(
  db: Db,
  orgId: number,
  nowMs: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: UnsteadyAsset[]; total: number }> {
  const day = dayUntil(nowMs)
  const { rows } = await sql<{
    total: number
    row: Omit<UnsteadyAsset, 'last_at'> | null
    last_at: string
  }>`${customPlan}
    with ${flapping(orgId, day)}, ${waiting(orgId, day)},
    unsteady as materialized (
      select asset_id, 'flapping' as reason, before_id, place_id, last_at, minute from flapping
      union all
      select asset_id, 'waiting', before_id, place_id, last_at, minute from waiting w
      where not exists (select from flapping f where f.asset_id = w.asset_id)),
    found as materialized (
      select u.*, a.external_key, a.name from unsteady u cross join lateral (
        select a.external_key, a.name from asset a
        where a.org_id = ${orgId} and a.id = u.asset_id and ${isListed('a', false)} offset 0) a),
    page as materialized (
      select * from found order by last_at desc, asset_id desc limit ${limit} offset ${offset})
    select total.n as total, p.last_at,
           case when p.asset_id is not null then json_build_object(
             'asset', json_build_object('id', p.asset_id, 'external_key', p.external_key, 'name', p.name),
             'reason', p.reason,
             'locations', json_build_array(${place('p.before_id', 'b')}, ${place('p.place_id', 't')}),
             'movements', (${movementsBetween(orgId, day)}), 'tag_type', (${tagType(orgId)})) end as row
    from (select count(*) as n from found) total left join page p on true
    ${named(orgId, 'p.before_id', 'b')} ${named(orgId, 'p.place_id', 't')}
    order by p.last_at desc, p.asset_id desc`.execute(db)
  const found = rows.flatMap(({ row, last_at }) => (row ? [{ ...row, last_at }] : []))
  return { rows: found, total: rows[0]?.total ?? 0 }
}

/**
 * The two places of a movement in one order: consecutive movements with the same pair go back and forth. A save is not a
 * read, so it ends them.
 */
const flapping = (orgId: number, { from, to }: Day) => sql`
  candidates as materialized (
    select distinct m.asset_id
    from generate_series(${from}, ${to}, ${TEN_MINUTES}) as step (start) cross join lateral (
      select m.asset_id from movement m
      where m.org_id = ${orgId} and m.minute >= step.start and m.minute < step.start + ${TEN_MINUTES}
        and m.minute >= ${from} and m.minute <= ${to}
      group by m.asset_id, least(m.from_location_id, m.to_location_id), greatest(m.from_location_id, m.to_location_id)
      having count(*) >= ${TIMES_IN_A_STEP} offset 0) m),
  moved as materialized (
    select m.*, case when s.reader_key is not null then least(m.from_location_id, m.to_location_id) end as one,
           greatest(m.from_location_id, m.to_location_id) as other
    from candidates c cross join lateral (
      select m.asset_id, m.minute, m.observed_at, m.from_location_id, m.to_location_id from movement m
      where m.org_id = ${orgId} and m.asset_id = c.asset_id and m.from_location_id is not null
        and m.minute >= ${from} and m.minute <= ${to} offset 0) m
    cross join lateral (
      select s.reader_key from scan s
      where s.org_id = ${orgId} and s.asset_id = m.asset_id and s.minute = m.minute offset 0) s),
  flapping as materialized (
    select distinct on (asset_id) asset_id, from_location_id as before_id, to_location_id as place_id,
           observed_at as last_at, minute
    from (
      select *, count(one) over recent as times, min(one) over recent as least_one, max(one) over recent as most_one,
             min(other) over recent as least_other, max(other) over recent as most_other,
             first_value(observed_at) over recent as since
      from moved window recent as (
        partition by asset_id order by minute rows between ${sql.raw(String(TIMES - 1))} preceding and current row)) m
    where times = ${TIMES} and least_one = most_one and least_other = most_other and observed_at - since <= ${TEN_MINUTES}
    order by asset_id, minute desc)`

const waiting = (orgId: number, { waitsSince }: Day) => sql`
  waiting as materialized (
    select p.asset_id, p.location_id as before_id, ${waitingPlace('p')} as place_id, p.minute,
           timestamptz 'epoch' + (p.evidence -> 'last' ->> 'at')::bigint * interval '1 millisecond' as last_at
    from position p
    where p.org_id = ${orgId} and p.location_id is not null and ${isWaiting('p')}
      and timestamptz 'epoch' + (p.evidence -> 'last' ->> 'received')::bigint * interval '1 millisecond'
        < ${waitsSince})`

/** In the last 24 hours, in both directions. */
const movementsBetween = (orgId: number, { from }: Day) => sql`
  select count(*) from movement m
  where m.org_id = ${orgId} and m.asset_id = p.asset_id and m.minute >= ${from}
    and (m.from_location_id, m.to_location_id) in ((p.before_id, p.place_id), (p.place_id, p.before_id))`

const tagType = (orgId: number) => sql`
  select t.tag_type from scan s join tag t on t.org_id = ${orgId} and t.id = s.tag_id
  where s.org_id = ${orgId} and s.asset_id = p.asset_id and s.minute = p.minute`

const place = (id: string, row: string) =>
  sql.raw(`json_build_object('id', ${id}, 'external_key', ${row}.external_key, 'name', ${row}.name)`)

/** Key and name of a deleted location are null (D8.3). */
const named = (orgId: number, id: string, row: string): RawBuilder<unknown> => sql`
  left join lateral (
    select l.external_key, l.name from location l
    where l.org_id = ${orgId} and l.id = ${sql.ref(id)} and l.deleted_at is null offset 0) ${sql.ref(row)} on true`

const instantOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`

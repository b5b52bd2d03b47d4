import { texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { thingOf } from '../events/thing.sql.ts'
import { STARTED_AGAIN } from './deliveries.queries.ts'
import { lastOf, recordedUntil } from './recorded-until.sql.ts'

/** Up to where the endpoint `w` has been served; until it has, up to what was recorded before it was switched on. */
export const SERVED = {
  moves: sql`coalesce(w.moves_position, ${lastOf('before_on')})`,
  others: sql`coalesce(w.others_position, ${lastOf('before_on')})`,
}

export const beforeOn = (orgId: number, webhookId: number) =>
  recordedUntil('before_on', orgId, sql`< (select enabled_at from webhook where id = ${webhookId})`)

type Period = { from: string; to: string | undefined; types: readonly string[] }
type Replayed = { count: number; oldest_occurred_at: string | null; endpoints: number }

/**
 * Starts the deliveries of all events again that were recorded in the period and are of these types, in one statement. More
 * than `most` change nothing: then `count` is above it. Events that the endpoint has not reached are counted, but reached
 * anyway: rows of theirs would be delivered twice. `endpoints` is 0 if it has been deleted; if not, it stays until the commit.
 * Nothing here is locked by those who record events.
 */
export async function replay(
  db: Db,
  orgId: number,
  webhookId: number,
  { from, to, types }: Period,
  most: number,
): Promise<Replayed> {
  const others = types.filter((type) => type !== 'asset.moved')
  const columns = sql`e.seq, e.id, e.type, e.occurred_at, ${thingOf(sql`e.data`)} as thing`
  const within = sql`e.org_id = ${orgId} and e.seq > ${lastOf('before_from')} and e.seq <= ${lastOf('until_to')}`
  const { rows } = await sql<Replayed>`
    with recursive ${recordedUntil('before_from', orgId, sql`< ${from}::timestamptz`)},
    ${recordedUntil('until_to', orgId, sql`<= ${to ?? 'infinity'}::timestamptz`)},
    ${beforeOn(orgId, webhookId)},
    endpoint as materialized (
      select w.id, w.retry, ${SERVED.moves} as moves, ${SERVED.others} as others from webhook w
      where w.org_id = ${orgId} and w.id = ${webhookId} for key share
    ), chosen as materialized (
      (select ${columns} from event e
        where ${within} and e.type = 'asset.moved' and ${types.length > others.length}::boolean
        order by e.seq limit ${most + 1})
      union all
      (select ${columns} from event e
        where ${within} and e.type <> 'asset.moved' and ${others.length > 0}::boolean and e.type = any(${texts(others)})
        order by e.seq limit ${most + 1})
    ), found as materialized (
      select count(*) as count, min(occurred_at) as oldest_occurred_at from chosen
    ), started as (
      insert into delivery as d (org_id, webhook_id, seq, delivery_id, type, thing, occurred_at, state, attempts, last_at,
        next_attempt_at)
      select ${orgId}, w.id, c.seq, c.id, c.type, case when w.retry = 'extended' then c.thing end, c.occurred_at,
        'waiting', 0, now(), now()
      from chosen c cross join endpoint w
      where (select count from found) <= ${most}
        and c.seq <= case when c.type = 'asset.moved' then w.moves else w.others end
      order by c.seq
      on conflict (webhook_id, seq) do update set ${STARTED_AGAIN}
    )
    select count, oldest_occurred_at, (select count(*) from endpoint) as endpoints from found`.execute(db)
  const [replayed] = rows
  if (!replayed) throw new Error('there is always one row')
  return replayed
}

import type { EndpointStats } from '@whereabouts/contracts/resources/webhooks/deliveries'
import { texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { Endpoint } from './endpoint.queries.ts'
import { beforeOn, SERVED } from './replay.queries.ts'

/** What waits is counted up to here. */
const MOST_COUNTED = 100_000

/** Of the last hours, with those in which nothing was delivered. */
export async function countHours(
  db: Db,
  orgId: number,
  webhookId: number,
  hours: number,
): Promise<EndpointStats['hours']> {
  const { rows } = await sql<EndpointStats['hours'][number]>`
    select h.hour, coalesce(d.delivered, 0) as delivered, coalesce(d.failed, 0) as failed
    from generate_series(date_trunc('hour', now()) - make_interval(hours => ${hours - 1}::int),
      date_trunc('hour', now()), interval '1 hour') h (hour)
    left join delivery_hour d on d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.hour = h.hour
    order by h.hour`.execute(db)
  return rows
}

/**
 * Deliveries that wait for an attempt, and, while the endpoint is on, the events that wait for their first one. Of each kind
 * it reads no more than it may count.
 */
export async function countWaiting(
  db: Db,
  orgId: number,
  { id, enabled, event_types: types }: Endpoint,
): Promise<number> {
  const others = types.filter((type) => type !== 'asset.moved')
  const { rows } = await sql<{ waiting: number }>`
    with recursive ${beforeOn(orgId, id)},
    served as materialized (
      select ${SERVED.moves} as moves, ${SERVED.others} as others from webhook w where w.org_id = ${orgId} and w.id = ${id}
    ), tried as (
      select 1 from delivery d where d.org_id = ${orgId} and d.webhook_id = ${id} and d.state = 'waiting'
      limit ${MOST_COUNTED}
    ), moves as (
      select 1 from event e
      where ${enabled && types.length > others.length}::boolean
        and e.org_id = ${orgId} and e.type = 'asset.moved' and e.seq > (select moves from served)
      limit ${MOST_COUNTED}
    ), others as (
      select e.type from event e
      where ${enabled && others.length > 0}::boolean and e.org_id = ${orgId} and e.seq > (select others from served)
      order by e.seq limit ${MOST_COUNTED}
    )
    select least(${MOST_COUNTED}, (select count(*) from tried) + (select count(*) from moves)
      + (select count(*) from others where type = any(${texts(others)}))) as waiting`.execute(db)
  return rows[0]?.waiting ?? 0
}

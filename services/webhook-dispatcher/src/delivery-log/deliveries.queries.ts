import { texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Attempt, Db, DeliveryState } from '../db.ts'

export type DeliveryRow = {
  seq: number
  delivery_id: string
  type: string
  occurred_at: string
  state: DeliveryState
  attempts: number
  /** Null unless it waits for a time. */
  next_attempt_at: string | null
  log: Attempt[]
}

export type DeliveryFilter = {
  state?: readonly string[] | undefined
  type?: readonly string[] | undefined
  from?: string | undefined
  to?: string | undefined
  /** Only rows below this `seq`. */
  before?: number | undefined
}

const NEXT = sql`case when d.state = 'waiting' and isfinite(d.next_attempt_at) then d.next_attempt_at end`

/**
 * Newest first, without test events: their `seq` is negative. Each condition is skipped by its own value, so that there
 * is one statement, whose only order is that of the primary key.
 */
export async function listDeliveries(
  db: Db,
  orgId: number,
  webhookId: number,
  { state = [], type = [], from, to, before = Number.MAX_SAFE_INTEGER }: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.seq, d.delivery_id, d.type, d.occurred_at, d.state, d.attempts, ${NEXT} as next_attempt_at,
      case when d.log = '[]' then d.log else jsonb_build_array(d.log->-1) end as log
    from delivery d
    where d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.seq > 0 and d.seq < ${before}
      and (${state.length === 0}::boolean or d.state = any(${texts(state)}))
      and (${type.length === 0}::boolean or d.type = any(${texts(type)}))
      and d.occurred_at >= ${from ?? '-infinity'}::timestamptz and d.occurred_at <= ${to ?? 'infinity'}::timestamptz
    order by d.seq desc limit ${limit}`.execute(db)
  return rows
}

/** `data` is null once the event is no longer kept. */
export type DeliveryDetail = DeliveryRow & { data: Record<string, unknown> | null }

/** The `id` of an event is the id of its deliveries. Of events that are no longer kept, the old rows are searched. */
export async function findDelivery(
  db: Db,
  orgId: number,
  webhookId: number,
  deliveryId: string,
): Promise<DeliveryDetail | undefined> {
  const { rows } = await sql<DeliveryDetail>`
    with kept as (
      select (select seq from event where org_id = ${orgId} and id = ${deliveryId}) as seq,
        (select removed_seq from event_head where org_id = ${orgId}) as removed
    )
    select d.seq, d.delivery_id, d.type, d.occurred_at, d.state, d.attempts, ${NEXT} as next_attempt_at, d.log,
      (select e.data from event e where e.org_id = ${orgId} and e.seq = d.seq) as data
    from kept cross join lateral (
      select * from delivery
      where org_id = ${orgId} and webhook_id = ${webhookId} and delivery_id = ${deliveryId}
        and seq >= coalesce(kept.seq, 1) and seq <= coalesce(kept.seq, kept.removed)
      offset 0
    ) d`.execute(db)
  return rows[0]
}

/** Attempts of earlier rounds that a delivery keeps, so that its log does not grow for ever. */
const KEPT_ATTEMPTS = 100

/** A delivery that starts again, now. One that waits for another of its thing still does. */
export const STARTED_AGAIN = sql`
  state = 'waiting', attempts = 0, first_at = null,
  next_attempt_at = case when d.state = 'waiting' and d.next_attempt_at = 'infinity' then d.next_attempt_at else now() end,
  log = jsonb_path_query_array(d.log, ${sql.lit(`$[last - ${KEPT_ATTEMPTS - 1} to last]`)})`

/** False unless the delivery is in the log and its event is kept: without it there is nothing to send. */
export async function startAgain(
  db: Db,
  orgId: number,
  webhookId: number,
  deliveryId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update delivery d set ${STARTED_AGAIN} from event e
    where e.org_id = ${orgId} and e.id = ${deliveryId}
      and d.org_id = ${orgId} and d.webhook_id = ${webhookId} and d.seq = e.seq
    returning d.seq`.execute(db)
  return rows.length > 0
}

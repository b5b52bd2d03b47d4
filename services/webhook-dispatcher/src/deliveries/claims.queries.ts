import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../db.ts'

/** An endpoint whose deliveries this process makes. The positions say up to where its events have been taken up. */
export type Claim = { id: number; org_id: number; moves: number; others: number }

type Options = {
  worker: string
  leaseMs: number
  /** Undefined: of all organizations. */
  orgIds: readonly number[] | undefined
  most: number
}

/**
 * Takes endpoints that have something to deliver, for `leaseMs`: of the organization that was served longest ago. Each has
 * one process at a time, so its events keep their order. A new position is where the endpoint was switched on.
 */
export async function claimEndpoints(
  across: Db,
  { worker, leaseMs, orgIds, most }: Options,
): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with ready as materialized (
      select w.id, w.org_id, w.enabled_at, w.moves_position is null as is_new
      from webhook w left join event_head h on h.org_id = w.org_id
      left join lateral (
        select seq from delivery where webhook_id = w.id and state = 'waiting'
          and next_attempt_at <= statement_timestamp() limit 1
      ) due on true
      where (w.claimed_until is null or w.claimed_until < clock_timestamp())
        ${orgIds ? sql`and w.org_id = any(${bigints(orgIds)})` : sql``}
        and (w.enabled and h.seq > coalesce(least(w.moves_position, w.others_position), -1) or due.seq is not null)
      order by (select max(o.served_at) from webhook o where o.org_id = w.org_id) nulls first,
        w.served_at nulls first, w.id
      limit ${most} for update of w skip locked
    )
    update webhook w set claimed_by = ${worker}::uuid, served_at = clock_timestamp(),
      claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}::float8),
      moves_position = coalesce(w.moves_position, b.seq), others_position = coalesce(w.others_position, b.seq)
    from ready r left join lateral (
      select coalesce((select e.seq from event e where e.org_id = r.org_id and e.recorded_at <= r.enabled_at
        order by e.seq desc limit 1), 0) as seq where r.is_new
    ) b on true
    where w.id = r.id
    returning w.id, w.org_id, w.moves_position as moves, w.others_position as others`.execute(across)
  return rows
}

import { sql } from 'kysely'
import type { Db } from '../db.ts'

/** What may go of an endpoint: all rows if it was deleted, otherwise those that do not wait and are older than `before`. */
export type Excess = { webhookId: number; isDeleted: boolean; before: string }

/**
 * The endpoints with rows from before this instant, or with more than `most`, and those that were deleted while rows were
 * written. Of each endpoint it reads one row, and an index up to `most`.
 */
export async function findExcess(across: Db, before: string, most: number): Promise<Excess[]> {
  const { rows } = await sql<{ webhook_id: number; is_deleted: boolean; before: string }>`
    with recursive logged (webhook_id) as (
      (select webhook_id from delivery order by webhook_id limit 1)
      union all
      select (select d.webhook_id from delivery d where d.webhook_id > l.webhook_id order by d.webhook_id limit 1)
      from logged l where l.webhook_id is not null
    ), limits as (
      select l.webhook_id, w.id is null as is_deleted, greatest(${before}::timestamptz, (
        select d.last_at from delivery d where d.webhook_id = l.webhook_id
        order by d.last_at desc offset ${most - 1} limit 1)) as before
      from logged l left join webhook w on w.id = l.webhook_id where l.webhook_id is not null
    )
    select webhook_id, is_deleted, before::text as before from limits m
    where is_deleted or exists (
      select 1 from delivery d where d.webhook_id = m.webhook_id and d.last_at < m.before and d.state <> 'waiting')`.execute(
    across,
  )
  return rows.map((row) => ({ webhookId: row.webhook_id, isDeleted: row.is_deleted, before: row.before }))
}

/** Removes the oldest of them, at most `most`. Returns how many. Rows that are being written stay for the next time. */
export async function removeExcess(
  across: Db,
  { webhookId, isDeleted, before }: Excess,
  most: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as materialized (
      select webhook_id, seq from delivery
      where webhook_id = ${webhookId} and (${isDeleted}::boolean or (last_at < ${before}::timestamptz and state <> 'waiting'))
      order by last_at limit ${most} for update skip locked
    )
    delete from delivery d using old where d.webhook_id = old.webhook_id and d.seq = old.seq`.execute(across)
  return Number(numAffectedRows ?? 0)
}

/** Removes the counts of hours before this instant, and those of deleted endpoints. */
export async function removeHours(across: Db, before: string): Promise<void> {
  await sql`
    delete from delivery_hour h
    where h.hour < ${before}::timestamptz or not exists (select from webhook w where w.id = h.webhook_id)`.execute(
    across,
  )
}

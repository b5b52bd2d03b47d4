import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { instant, minuteTime } from '../sql-times.ts'
import { CARRY_AFTER_MS } from './evidence.ts'

/** A position whose last read waits, as `waitingOf` says. The first condition is that of the index `position_last_read`. */
export const isWaiting = (alias: string): RawBuilder<boolean> => sql`(
  (${sql.ref(`${alias}.evidence`)} -> 'last') is not null and ${isOfMinute(alias)}
  and ${waitingPlace(alias)} is distinct from ${sql.ref(`${alias}.location_id`)})`

/** Whether the evidence of a position is that of its minute. An earlier release may have written the row of a later one. */
export const isOfMinute = (alias: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${alias}.minute`)} = ${minuteTime(`(${alias}.evidence ->> 'minute')::bigint`)}`

/** Where it was read last. */
export const waitingPlace = (alias: string): RawBuilder<number> =>
  sql`(${sql.ref(`${alias}.evidence`)} -> 'last' ->> 'place')::bigint`

/**
 * Carries the reads that wait, of an organization that wants that, or of all of them: 5 s from now, or from the end of their
 * minute. Rows are locked in the order of `lockPositions`.
 */
export async function carryWaiting(db: Db, nowMs: number, orgId?: number): Promise<void> {
  await sql`
    with carrying as materialized (
      select org_id from placement_rules
      where passages = 'carry' and ${orgId === undefined ? sql`true` : sql`org_id = ${orgId}`}
    ), waiting as materialized (
      select p.org_id, p.asset_id from position p
      where p.org_id in (select org_id from carrying) and p.carry_at is null and ${isWaiting('p')}
      order by p.org_id, p.asset_id for update)
    update position p set carry_at =
      greatest(p.minute + interval '1 minute', ${instant('n.ms')}) + n.after * interval '1 millisecond'
    from waiting w, (select ${nowMs}::bigint as ms, ${CARRY_AFTER_MS}::bigint as after) n
    where p.org_id = w.org_id and p.asset_id = w.asset_id and p.carry_at is null and ${isWaiting('p')}`.execute(
    db,
  )
}

/** Reads that wait for the next observation are not carried. */
export async function carryNothing(db: Db, orgId: number): Promise<void> {
  await sql`
    with carried as materialized (
      select asset_id from position where org_id = ${orgId} and carry_at is not null order by asset_id for update)
    update position p set carry_at = null from carried c
    where p.org_id = ${orgId} and p.asset_id = c.asset_id`.execute(db)
}

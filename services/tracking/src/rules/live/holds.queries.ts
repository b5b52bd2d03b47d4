import { bigints, instants } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'
import type { Hold } from '../decide/holds.ts'

export type HoldKey = { orgId: number; ruleId: number; subjectId: number }

/** `alertId` is the open alert, if it was raised. */
export type StoredHold = HoldKey & Hold & { revision: number; alertId: number | null }

/** With where the asset is now. */
type DueHold = StoredHold & { placeId: number | null }

export type Subject = { orgId: number; subjectId: number }

const columns = sql`h.org_id as "orgId", h.rule_id as "ruleId", h.subject_id as "subjectId", h.revision,
  h.alert_id as "alertId", h.origin_id as "originId", ${epochMs('h.since')} as "sinceMs",
  case when isfinite(h.due_at) then ${epochMs('h.due_at')} end as "dueMs",
  case when a.id is not null then ${epochMs('a.raised_at')} end as "raisedMs"`

const from = sql`rule_hold h left join alert a on a.org_id = h.org_id and a.id = h.alert_id`

/** Locks all holds of these subjects until the transaction ends. Lock the positions of assets before. */
export async function lockHolds(tx: Tx, subjects: readonly Subject[]): Promise<StoredHold[]> {
  if (subjects.length === 0) return []
  const { rows } = await sql<StoredHold>`
    select ${columns} from ${from}
    where (h.org_id, h.subject_id) in (
      select * from unnest(${bigints(subjects.map((one) => one.orgId))}, ${bigints(subjects.map((one) => one.subjectId))}))
    order by h.org_id, h.rule_id, h.subject_id for update of h`.execute(tx)
  return rows
}

/** Locks holds that are due until this instant, and that nobody else has locked, oldest first. */
export async function lockDueHolds(
  tx: Tx,
  { untilMs, waiting }: { untilMs: number; waiting: readonly number[] },
  limit: number,
): Promise<DueHold[]> {
  const { rows } = await sql<DueHold>`
    select ${columns}, p.location_id as "placeId"
    from ${from} left join position p on p.org_id = h.org_id and p.asset_id = h.subject_id
    where h.due_at <= ${new Date(untilMs).toISOString()} and h.org_id <> all(${bigints(waiting)})
    order by h.due_at limit ${limit} for update of h skip locked`.execute(tx)
  return rows
}

export async function saveHolds(tx: Tx, holds: readonly StoredHold[]): Promise<void> {
  if (holds.length === 0) return
  await sql`
    insert into rule_hold (org_id, rule_id, subject_id, revision, since, due_at, alert_id, origin_id)
    select org_id, rule_id, subject_id, revision, since, case when is_passed_over then 'infinity' else due_at end,
           alert_id, origin_id
    from unnest(
      ${bigints(holds.map((h) => h.orgId))}, ${bigints(holds.map((h) => h.ruleId))},
      ${bigints(holds.map((h) => h.subjectId))}, ${bigints(holds.map((h) => h.revision))},
      ${instants(holds.map((h) => h.sinceMs))}, ${instants(holds.map((h) => (h.dueMs === Infinity ? null : h.dueMs)))},
      ${bigints(holds.map((h) => h.alertId))}, ${bigints(holds.map((h) => h.originId))},
      ${holds.map((h) => h.dueMs === Infinity)}::boolean[]
    ) as n (org_id, rule_id, subject_id, revision, since, due_at, alert_id, origin_id, is_passed_over)
    on conflict (org_id, rule_id, subject_id) do update set
      revision = excluded.revision, since = excluded.since, due_at = excluded.due_at, alert_id = excluded.alert_id,
      origin_id = excluded.origin_id`.execute(tx)
}

export async function deleteHolds(tx: Tx, keys: readonly HoldKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    delete from rule_hold h using unnest(
      ${bigints(keys.map((k) => k.orgId))}, ${bigints(keys.map((k) => k.ruleId))},
      ${bigints(keys.map((k) => k.subjectId))}) as k (org_id, rule_id, subject_id)
    where h.org_id = k.org_id and h.rule_id = k.rule_id and h.subject_id = k.subject_id`.execute(tx)
}

import { bigints, instants, texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { NOTICE_PAUSE_MS } from '../settings/stored-notify.ts'
import type { Raised, Resolved } from './changes.ts'

export type LockedRule = {
  orgId: number
  id: number
  revision: number
  isOn: boolean
  openAlerts: number
  severity: string
  /** Whether people hear of it, beside events. */
  tells: boolean
  /** An alert found no room. */
  isFull?: boolean
  /** There is an alert to tell of. */
  hasNew?: boolean
}

type RuleKey = { orgId: number; ruleId: number }

/** In their order, so that two transactions do not wait for each other. */
export async function lockRules(tx: Tx, keys: readonly RuleKey[]): Promise<Map<string, LockedRule>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<LockedRule>`
    select org_id as "orgId", id, revision, enabled and deleted_at is null as "isOn", open_alerts as "openAlerts",
           severity, jsonb_array_length(notify -> 'email') + jsonb_array_length(notify -> 'chat') > 0 as tells
    from rule where (org_id, id) in (
      select * from unnest(${bigints(keys.map((k) => k.orgId))}, ${bigints(keys.map((k) => k.ruleId))}))
    order by org_id, id for update`.execute(tx)
  return new Map(rows.map((rule) => [`${rule.orgId} ${rule.id}`, rule]))
}

/** `counts`: in the number of open alerts of its rule. */
type AlertKey = { orgId: number; id: number; ruleId: number; counts: boolean }

/** Those that were open. */
export async function resolveAlerts(tx: Tx, resolved: readonly Resolved[]): Promise<AlertKey[]> {
  if (resolved.length === 0) return []
  const { rows } = await sql<AlertKey>`
    update alert a set resolved_at = greatest(n.at, a.raised_at), resolved_because = n.because
    from unnest(
      ${bigints(resolved.map((one) => one.orgId))}, ${bigints(resolved.map((one) => one.alertId))},
      ${instants(resolved.map((one) => one.atMs))}, ${texts(resolved.map((one) => one.because))}
    ) as n (org_id, id, at, because)
    where a.org_id = n.org_id and a.id = n.id and a.resolved_at is null
    returning a.org_id as "orgId", a.id, a.rule_id as "ruleId", a.subject_type <> 'rule' as counts`.execute(
    tx,
  )
  return rows
}

/** Open alerts of older revisions about the same things. */
export async function endOlderAlerts(tx: Tx, raised: readonly Raised[]): Promise<AlertKey[]> {
  if (raised.length === 0) return []
  const { rows } = await sql<AlertKey>`
    update alert a set resolved_at = greatest(clock_timestamp(), a.raised_at), resolved_because = 'rule_changed'
    from unnest(
      ${bigints(raised.map(({ rule }) => rule.orgId))}, ${bigints(raised.map(({ rule }) => rule.id))},
      ${bigints(raised.map(({ rule }) => rule.revision))}, ${texts(raised.map((one) => one.subjectType))},
      ${bigints(raised.map((one) => one.subjectId))}) as n (org_id, rule_id, revision, subject_type, subject_id)
    where a.org_id = n.org_id and a.rule_id = n.rule_id and a.revision < n.revision
      and a.subject_type = n.subject_type and a.subject_id = n.subject_id and a.resolved_at is null
    returning a.org_id as "orgId", a.id, a.rule_id as "ruleId", a.subject_type <> 'rule' as counts`.execute(
    tx,
  )
  return rows
}

/** Each alert once: one that is there already is left out of the result. */
export async function insertAlerts(
  tx: Tx,
  raised: readonly Raised[],
  tells: (raised: Raised) => boolean,
): Promise<Map<Raised, number>> {
  if (raised.length === 0) return new Map()
  const { rows } = await sql<{ id: number; rule_id: number; subject_id: number; raised_ms: number }>`
    insert into alert (org_id, rule_id, revision, severity, subject_type, subject_id, location_id, raised_at, resolved_at,
      resolved_because, to_tell)
    select * from unnest(
      ${bigints(raised.map(({ rule }) => rule.orgId))}, ${bigints(raised.map(({ rule }) => rule.id))},
      ${bigints(raised.map(({ rule }) => rule.revision))}, ${texts(raised.map(({ rule }) => rule.row.severity))},
      ${texts(raised.map((one) => one.subjectType))}, ${bigints(raised.map((one) => one.subjectId))},
      ${bigints(raised.map((one) => one.locationId))}, ${instants(raised.map((one) => one.atMs))},
      ${instants(raised.map((one) => one.ending?.atMs ?? null))}, ${texts(raised.map((one) => one.ending?.because ?? null))},
      ${raised.map(tells)}::boolean[])
    on conflict do nothing
    returning id, rule_id, subject_id, round(date_part('epoch', raised_at) * 1000)::bigint as raised_ms`.execute(
    tx,
  )
  const ids = new Map(rows.map((row) => [`${row.rule_id} ${row.subject_id} ${row.raised_ms}`, row.id]))
  return new Map(
    raised.flatMap((one) => {
      const id = ids.get(`${one.rule.id} ${one.subjectId} ${one.atMs}`)
      return id === undefined ? [] : [[one, id] as const]
    }),
  )
}

/** Writes the numbers of open alerts back, and when people are told of new ones: at once, or after the pause (D14.6). */
export async function countOpen(tx: Tx, rules: readonly LockedRule[]): Promise<void> {
  if (rules.length === 0) return
  await sql`
    update rule r set open_alerts = greatest(0, n.open),
      problem = case when n.is_full then 'too_many' else r.problem end,
      notice_due_at = case when n.has_new
        then least(r.notice_due_at, greatest(clock_timestamp(), r.noticed_at + make_interval(secs => ${NOTICE_PAUSE_MS / 1_000})))
        else r.notice_due_at end
    from unnest(
      ${bigints(rules.map((rule) => rule.orgId))}, ${bigints(rules.map((rule) => rule.id))},
      ${bigints(rules.map((rule) => rule.openAlerts))}, ${rules.map((rule) => rule.isFull === true)}::boolean[],
      ${rules.map((rule) => rule.tells && (rule.hasNew === true || rule.isFull === true))}::boolean[]
    ) as n (org_id, id, open, is_full, has_new)
    where r.org_id = n.org_id and r.id = n.id`.execute(tx)
}

/** Raises the alerts about rules that have too many. It counts as none. */
export async function insertTooMany(
  tx: Tx,
  rules: readonly LockedRule[],
): Promise<{ id: number; orgId: number }[]> {
  const full = rules.filter((rule) => rule.isFull === true)
  if (full.length === 0) return []
  const { rows } = await sql<{ id: number; orgId: number }>`
    insert into alert (org_id, rule_id, revision, severity, subject_type, subject_id, raised_at, to_tell)
    select org_id, id, revision, severity, 'rule', id, date_trunc('milliseconds', clock_timestamp()),
           jsonb_array_length(notify -> 'email') + jsonb_array_length(notify -> 'chat') > 0
    from rule
    where (org_id, id) in (
      select * from unnest(${bigints(full.map((r) => r.orgId))}, ${bigints(full.map((r) => r.id))}))
    on conflict do nothing returning id, org_id as "orgId"`.execute(tx)
  return rows
}

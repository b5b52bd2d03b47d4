import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * Rules, what they hold, and alerts (ADR 130). `revision` of a rule grows with each change that counts as a new rule; a hold of an
 * older revision does not count. `version` of an organization grows with each change of a rule, so that ingest learns
 * in its transaction that its memory is old.
 *
 * `checked_until`: up to when the clock was looked at. `check_after`: assets up to this id were looked at since the rule or what it
 * depends on changed; null if all were. `closing`: why open alerts of older revisions end.
 *
 * A hold is a condition that is true, or will be by time alone: see `rules/decide/holds.ts`. `due_at` is infinite while a rule has too
 * many alerts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rule (
      org_id bigint not null,
      id bigint not null default mint_id(),
      name text not null,
      kind text not null,
      enabled boolean not null,
      severity text not null,
      scope jsonb not null,
      params jsonb not null,
      for_seconds integer not null,
      schedule jsonb,
      notify jsonb not null,
      revision integer not null default 1,
      active_from timestamptz not null default clock_timestamp(),
      raises_existing boolean not null default true,
      problem text,
      open_alerts integer not null default 0,
      checked_until timestamptz not null default clock_timestamp(),
      check_after bigint,
      closing text,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      deleted_at timestamptz,
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index rule_to_check on rule (org_id, id) where check_after is not null or closing is not null`.execute(
    db,
  )
  await sql`create index rule_too_many on rule (org_id, id) where problem = 'too_many'`.execute(db)
  await sql`
    create table rule_hold (
      org_id bigint not null,
      rule_id bigint not null,
      subject_id bigint not null,
      revision integer not null,
      since timestamptz not null,
      due_at timestamptz,
      alert_id bigint,
      origin_id bigint,
      primary key (org_id, rule_id, subject_id)
    )`.execute(db)
  await sql`create index rule_hold_subject on rule_hold (org_id, subject_id)`.execute(db)
  await sql`create index rule_hold_passed_over on rule_hold (org_id, rule_id) where due_at = 'infinity'`.execute(
    db,
  )
  await sql`create table rule_set (org_id bigint primary key, version bigint not null)`.execute(db)
  await sql`create index rule_hold_due on rule_hold (due_at) where due_at is not null`.execute(db)
  await sql`
    create table alert (
      org_id bigint not null,
      id bigint not null default mint_id(),
      rule_id bigint not null,
      revision integer not null,
      severity text not null,
      subject_type text not null,
      subject_id bigint not null,
      location_id bigint,
      note text,
      raised_at timestamptz not null,
      acknowledged_at timestamptz,
      acknowledged_by jsonb,
      resolved_at timestamptz,
      resolved_because text,
      primary key (org_id, id)
    )`.execute(db)
  await sql`create unique index alert_open on alert (org_id, rule_id, subject_type, subject_id)
    where resolved_at is null`.execute(db)
  await sql`create index alert_newest on alert (org_id, raised_at, id)`.execute(db)
  await sql`create unique index alert_once on alert (org_id, rule_id, subject_type, subject_id, raised_at)`.execute(
    db,
  )
  await sql`create index alert_rule on alert (org_id, rule_id, raised_at, id)`.execute(db)
  await sql`create index alert_subject on alert (org_id, subject_id, raised_at, id)`.execute(db)
  await sql`create index alert_location on alert (org_id, location_id, raised_at, id)`.execute(db)
  await sql`create index alert_resolved on alert (resolved_at) where resolved_at is not null`.execute(db)
  const all = 'select, insert, update, delete'
  await openToRoles(db, {
    rule: { organization: 'org_id', tenant: 'select, insert, update', worker: 'select, update' },
    rule_set: { organization: 'org_id', tenant: 'select, insert, update', worker: 'select' },
    rule_hold: { organization: 'org_id', tenant: all, worker: all },
    alert: { organization: 'org_id', tenant: all, worker: all },
  })
}

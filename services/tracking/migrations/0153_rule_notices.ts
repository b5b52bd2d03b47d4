import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * What people are told of alerts (D14.6, ADR 132). `alert.to_tell`: waits for the next notice of its rule. `told_at`: when it was told
 * last. `rule.notice_due_at`: when to look whether there is something to tell; null if nothing waits. `noticed_at`, `notice_day`,
 * `day_notices`: the last notice, and how many the day of the organization had.
 *
 * A row of `rule_notice` is one message to one channel, or the mails of a notice. `failed_before`: attempts that had no answer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table rule
      add column notice_due_at timestamptz,
      add column noticed_at timestamptz,
      add column notice_day text,
      add column day_notices integer not null default 0`.execute(db)
  await sql`update rule set notify = '{"event": true, "email": [], "chat": [], "remind_minutes": null}' || notify`.execute(
    db,
  )
  await sql`create index rule_notice_due on rule (notice_due_at) where notice_due_at is not null`.execute(db)
  await sql`alter table alert add column to_tell boolean not null default false, add column told_at timestamptz`.execute(
    db,
  )
  await sql`create index alert_to_tell on alert (org_id, rule_id) where to_tell`.execute(db)
  await sql`create index alert_told on alert (org_id, rule_id, told_at)
    where told_at is not null and acknowledged_at is null and resolved_at is null`.execute(db)
  await sql`
    create table rule_notice (
      org_id bigint not null,
      id uuid not null default gen_random_uuid(),
      rule_id bigint not null,
      chat jsonb,
      notice jsonb not null,
      failed_before integer not null default 0,
      next_attempt_at timestamptz not null default clock_timestamp(),
      created_at timestamptz not null default clock_timestamp(),
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index rule_notice_next_attempt on rule_notice (next_attempt_at)`.execute(db)
  await openToRoles(db, {
    rule_notice: { organization: 'org_id', worker: 'select, insert, update, delete' },
  })
}

import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * Organizations can be deleted (ADR 126), and have a time zone. `deleted_org` has a number and no name: it stays, so that a
 * restored backup does not bring the organization back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table org add column deleted_at timestamptz,
      add column timezone text not null default 'UTC'`.execute(db)
  await sql`
    create table deleted_org (
      id bigint primary key,
      revision bigint not null default nextval('revision_seq'),
      deleted_at timestamptz not null default clock_timestamp(),
      next_at timestamptz default clock_timestamp(),
      erased jsonb not null default '{}',
      gone_at timestamptz
    )`.execute(db)
  await sql`create index deleted_org_next on deleted_org (next_at) where next_at is not null`.execute(db)
  await openToRoles(db, {
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (name, retention_days, revision, timezone, deleted_at, subscription_ends_at)',
      worker: 'select, insert, update (revision, reader_account, reader_account_used_at)',
    },
    deleted_org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, insert, update',
      worker: 'select, update (next_at)',
    },
  })
}

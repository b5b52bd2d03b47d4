import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * Reset links (ADR 54), with the rights for what people change about themselves and their organization. A link without
 * an organization is the operator's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A link of an administrator ends with the membership of either. A second link of one issuer replaces the first.
  await sql`
    create table password_reset (
      token_hash bytea primary key constraint password_reset_token_hash_length check (octet_length(token_hash) = 32),
      org_id bigint,
      user_id bigint not null references app_user (id),
      created_by bigint,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      constraint password_reset_issuer check ((org_id is null) = (created_by is null)),
      constraint password_reset_one_per_issuer unique nulls not distinct (org_id, user_id),
      foreign key (org_id, user_id) references membership (org_id, user_id) on delete cascade,
      foreign key (org_id, created_by) references membership (org_id, user_id) on delete cascade
    )`.execute(db)
  await sql`create index password_reset_user on password_reset (user_id)`.execute(db)
  await sql`create index password_reset_created_by on password_reset (org_id, created_by)`.execute(db)
  await sql`create index password_reset_expiry on password_reset (expires_at)`.execute(db)
  await openToRoles(db, {
    password_reset: {
      organization: 'org_id',
      tenant: 'select, insert, delete, update (token_hash, created_by, created_at, expires_at)',
      worker: 'select, delete, update (expires_at)',
    },
    app_user: {
      ownRows: sql`exists (select from membership m where m.user_id = app_user.id)`,
      tenant: 'select (id, name, email, email_key)',
      worker:
        'select, insert, update (name, password_hash, password_salt, password_memory_kib, password_passes, password_parallelism)',
    },
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (name, revision)',
      worker: 'select, insert, update (revision, reader_account)',
    },
  })
}

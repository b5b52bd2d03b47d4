import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * One-time codes at sign-in (ADR 127). `app_user.second_factor_at` alone says that they are on: without it, the secret
 * waits to be confirmed. The release before reads none of it and asks for no code.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table app_user add column second_factor_at timestamptz`.execute(db)
  await sql`
    create table second_factor (
      user_id bigint primary key references app_user (id),
      secret bytea not null,
      used_step bigint not null default 0,
      created_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create table recovery_code (
      user_id bigint not null references second_factor (user_id) on delete cascade,
      code_hash bytea not null constraint recovery_code_hash_length check (octet_length(code_hash) = 32),
      primary key (user_id, code_hash)
    )`.execute(db)
  await openToRoles(db, {
    second_factor: { worker: 'select, insert, delete, update (secret, used_step, created_at)' },
    recovery_code: { worker: 'select, insert, delete' },
    app_user: {
      ownRows: sql`exists (select from membership m where m.user_id = app_user.id)`,
      tenant: 'select (id, name, email, email_key, email_verified_at, second_factor_at)',
      worker:
        'select, insert, update (name, email, email_key, email_verified_at, second_factor_at, password_hash, password_salt, password_memory_kib, password_passes, password_parallelism)',
    },
  })
}

import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const contracts =
  'the checks are of new columns, which the release before does not write; it names the changed constraint, and finds it'

/**
 * Mails that wait, and what they prove (ADR 124). No row has a token: that of a mail is a MAC of its id. The release
 * before writes none of the new columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mail (
      id uuid primary key,
      template text not null,
      recipient text not null,
      details jsonb not null default '{}',
      attempts integer not null default 0,
      created_at timestamptz not null default clock_timestamp(),
      next_attempt_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index mail_next_attempt on mail (next_attempt_at)`.execute(db)
  await sql`
    create table mailbox_proof (
      token_hash bytea primary key constraint mailbox_proof_token_hash_length check (octet_length(token_hash) = 32),
      user_id bigint not null references app_user (id),
      email text not null,
      email_key text not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index mailbox_proof_user on mailbox_proof (user_id)`.execute(db)
  await sql`create index mailbox_proof_expiry on mailbox_proof (expires_at)`.execute(db)
  await sql`alter table app_user add column email_verified_at timestamptz`.execute(db)
  // The token in the mail proves the mailbox. That in the answer does not: an administrator sees it.
  await sql`
    alter table invitation
      add column mail_id uuid,
      add column mail_token_hash bytea constraint invitation_mail_token_hash unique
        constraint invitation_mail_token_hash_length check (octet_length(mail_token_hash) = 32),
      add column mail_failed_at timestamptz`.execute(db)
  await sql`create unique index invitation_mail on invitation (mail_id) where mail_id is not null`.execute(db)
  // Each mail has a link of its own, or anybody could end the link of a mail that was just sent by asking for another one.
  await sql`
    alter table password_reset
      add column mail_id uuid,
      add constraint password_reset_mail check (mail_id is null or org_id is null),
      drop constraint password_reset_one_per_issuer,
      add constraint password_reset_one_per_issuer unique nulls not distinct (org_id, user_id, mail_id)`.execute(
    db,
  )
  await openToRoles(db, {
    mail: {
      tenant: 'insert',
      worker: 'select, insert, delete, update (attempts, next_attempt_at, expires_at)',
    },
    mailbox_proof: { worker: 'select, insert, delete, update (expires_at)' },
    app_user: {
      ownRows: sql`exists (select from membership m where m.user_id = app_user.id)`,
      tenant: 'select (id, name, email, email_key, email_verified_at)',
      worker:
        'select, insert, update (name, email, email_key, email_verified_at, password_hash, password_salt, password_memory_kib, password_passes, password_parallelism)',
    },
    invitation: {
      organization: 'org_id',
      tenant: 'select, insert, delete',
      worker: 'select, delete, update (expires_at, mail_failed_at)',
    },
    password_reset: {
      organization: 'org_id',
      tenant: 'select, insert, delete, update (token_hash, created_by, created_at, expires_at)',
      worker: 'select, insert, delete, update (expires_at)',
    },
  })
}

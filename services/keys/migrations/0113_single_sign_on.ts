import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Single sign-on (ADR 128). No row has a token, a code or what the provider knows about a person beyond the subject. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // One link per provider: an address that the provider gives to somebody else does not open the account of its last owner.
  await sql`
    create table linked_subject (
      issuer text not null,
      subject text not null,
      user_id bigint not null references app_user (id),
      linked_at timestamptz not null default clock_timestamp(),
      primary key (issuer, subject),
      constraint linked_subject_one_per_issuer unique (user_id, issuer)
    )`.execute(db)
  // A sign-on that has started. Its browser has the token.
  await sql`
    create table sign_on (
      browser_hash bytea primary key constraint sign_on_browser_hash_length check (octet_length(browser_hash) = 32),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index sign_on_expiry on sign_on (expires_at)`.execute(db)
  // A sign-on that has succeeded. The address of the console's page has the code, and the same browser still has the token.
  await sql`
    create table sign_on_code (
      code_hash bytea primary key constraint sign_on_code_hash_length check (octet_length(code_hash) = 32),
      browser_hash bytea not null,
      user_id bigint not null references app_user (id),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index sign_on_code_user on sign_on_code (user_id)`.execute(db)
  await sql`create index sign_on_code_expiry on sign_on_code (expires_at)`.execute(db)
  await openToRoles(db, {
    linked_subject: { worker: 'select, insert' },
    sign_on: { worker: 'select, insert, delete, update (expires_at)' },
    sign_on_code: { worker: 'select, insert, delete, update (expires_at)' },
    // A sign-on changes roles in several organizations, so it is not a request of one of them.
    membership: {
      organization: 'org_id',
      tenant: 'select, update, delete',
      worker: 'select, insert, update (role, revision)',
    },
  })
}

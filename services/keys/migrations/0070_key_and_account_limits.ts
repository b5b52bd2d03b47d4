import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const contracts =
  'the checks are of a new column with a default, which the release before does not write'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Keys of the organization that are neither revoked nor expired (D17.6). When a reader last logged in over NATS (ADR 64).
  await sql`
    alter table org
      add column api_key_limit integer not null default 200 constraint org_api_key_limit check (api_key_limit > 0),
      add column reader_account_used_at timestamptz`.execute(db)
  await sql`update org set reader_account_used_at = clock_timestamp() where reader_account is not null`.execute(
    db,
  )
  // When a reader with the key was first seen to send something.
  await sql`alter table api_key add column first_message_at timestamptz`.execute(db)
  await openToRoles(db, {
    api_key: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, update (last_used_at, first_message_at)',
    },
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (name, revision)',
      worker: 'select, insert, update (revision, reader_account, reader_account_used_at)',
    },
  })
}

import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * The last messages of each reader with a problem: dead letters, and messages that were understood in part. The release
 * before this one keeps none: until it is gone, some are missing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reader_message (
      org_id bigint not null,
      reader_key text not null,
      id bigint generated always as identity,
      received_at timestamptz not null,
      via text not null,
      subject text not null,
      size int not null,
      head text not null,
      problems jsonb not null,
      primary key (org_id, reader_key, id)
    )`.execute(db)
  await openToRoles(db, {
    reader_message: { organization: 'org_id', tenant: 'select', worker: 'select, insert, delete' },
  })
}

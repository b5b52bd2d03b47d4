import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Keys whose readers are refused for a while, because they sent far more than their organization may (ADR 49). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reader_suspension (
      jti uuid primary key references api_key (jti) on delete cascade,
      org_id bigint not null references org (id),
      suspended_at timestamptz not null default clock_timestamp(),
      until timestamptz not null,
      strikes integer not null default 1 constraint reader_suspension_strikes check (strikes > 0)
    )`.execute(db)
  await sql`create index reader_suspension_org on reader_suspension (org_id)`.execute(db)
  await sql`create index reader_suspension_suspended_at on reader_suspension (suspended_at)`.execute(db)
  await openToRoles(db, {
    // A request that revokes the key deletes the row.
    reader_suspension: {
      organization: 'org_id',
      tenant: 'select, delete',
      worker: 'select, insert, update, delete',
    },
    pending_disconnect: { tenant: 'insert', worker: 'select, insert, update, delete' },
  })
}

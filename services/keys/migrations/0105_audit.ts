import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Who did what (ADR 125). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `seq` of a row is above its value, which only a restore moves, past all that was shown. It is not `revision_seq`, whose
  // numbers would show the changes of all organizations.
  await sql`create sequence audit_seq as bigint`.execute(db)
  // `changes` is `json`, not `jsonb`: it is shown as it was recorded, and is never searched.
  await sql`
    create table audit (
      org_id bigint not null,
      seq bigint not null,
      id uuid not null,
      at timestamptz(3) not null,
      recorded_at timestamptz(3) not null,
      actor_type text not null,
      actor_id bigint,
      actor_name text,
      action text not null,
      subject_type text not null,
      subject_id bigint,
      subject_key text,
      changes json not null,
      ip text,
      request_id text,
      primary key (org_id, seq),
      constraint audit_once unique (org_id, id)
    )`.execute(db)
  await sql`create index audit_at on audit (org_id, at, seq)`.execute(db)
  await sql`create index audit_subject on audit (org_id, subject_id, at, seq)`.execute(db)
  await sql`
    create table audit_head (
      org_id bigint primary key,
      seq bigint not null,
      recorded_at timestamptz(3) not null,
      removed_seq bigint not null default 0
    ) with (fillfactor = 50)`.execute(db)
  await openToRoles(db, {
    audit: { organization: 'org_id', tenant: 'select', worker: 'select, insert, delete' },
    audit_head: { organization: 'org_id', tenant: 'select', worker: 'select, insert, update' },
    audit_seq: { tenant: 'select', worker: 'select' },
  })
}

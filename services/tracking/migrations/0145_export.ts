import { countRows, setDefaultLimits } from '@whereabouts/db/schema/usage'
import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * Exports, their files, and the bytes of these in parts of equal size (ADR 117). `worker` has the export until
 * `lease_until`; it makes file `next_file` of `file_count`. `worked_at` orders organizations. `link_key` signs the links.
 *
 * A part is written once and deleted with its export. Files are compressed already, so the database does not try.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table export (
      org_id bigint not null,
      id bigint not null default mint_id(),
      dataset text not null,
      format text not null,
      from_at timestamptz,
      to_at timestamptz,
      status text not null default 'queued'
        constraint export_status check (status in ('queued', 'running', 'done', 'failed')),
      file_count integer not null,
      next_file integer not null default 0,
      rows bigint not null default 0,
      bytes bigint not null default 0,
      problem text,
      link_key bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      deleted_at timestamptz,
      failures integer not null default 0,
      worker uuid,
      lease_until timestamptz,
      worked_at timestamptz not null default clock_timestamp(),
      primary key (org_id, id)
    )`.execute(db)
  await sql`create unique index export_id on export (id)`.execute(db) // a link does not name the organization
  await sql`create unique index export_one_running on export (org_id)
    where status = 'running' and deleted_at is null`.execute(db)
  await sql`
    create table export_file (
      org_id bigint not null,
      export_id bigint not null,
      file integer not null,
      name text not null,
      day date,
      rows bigint not null,
      bytes bigint not null,
      sha256 text not null,
      primary key (org_id, export_id, file),
      foreign key (org_id, export_id) references export (org_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create table export_part (
      org_id bigint not null,
      export_id bigint not null,
      file integer not null,
      part integer not null,
      body bytea not null,
      primary key (org_id, export_id, file, part)
    )`.execute(db)
  await sql`alter table export_part alter column body set storage external`.execute(db)
  const all = 'select, insert, update, delete'
  await openToRoles(db, {
    export: { organization: 'org_id', tenant: all, worker: 'select, update' },
    export_file: { organization: 'org_id', tenant: all },
    export_part: { organization: 'org_id', tenant: 'select, insert, delete' },
  })
  await setDefaultLimits(db, { export_bytes: 5 * 2 ** 30 })
  await countRows(db, 'export_part', { export_bytes: 'octet_length(body)' })
}

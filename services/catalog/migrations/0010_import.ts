import { protectByOrganization } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

/**
 * An import, the lines of its file, their outcomes, and the changes that a dry run would have made so far.
 *
 * Lines belong to the import that uploaded them. An import that applies a dry run reads the lines of the dry run. Lines and
 * outcomes are only inserted and deleted, so no updates leave dead rows. `worker` has the import until `lease_until`.
 * `worked_at` orders organizations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table import (
      org_id bigint not null,
      id bigint not null default mint_id(),
      resource text not null constraint import_resource check (resource in ('assets', 'locations')),
      dry_run boolean not null,
      state text not null constraint import_state
        check (state in ('uploading', 'pending', 'running', 'done', 'cancelled', 'failed')),
      columns text[] not null,
      file_id bigint not null,
      applied_from bigint,
      rows_total integer not null default 0,
      last_line integer not null default 0,
      created integer not null default 0,
      updated integer not null default 0,
      unchanged integer not null default 0,
      failed integer not null default 0,
      created_by bigint,
      created_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      finished_at timestamptz,
      deleted_at timestamptz,
      worker uuid,
      lease_until timestamptz,
      worked_at timestamptz not null default clock_timestamp(),
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index import_newest on import (org_id, created_at desc, id) where deleted_at is null`.execute(
    db,
  )
  await sql`create index import_unfinished on import (org_id, created_at) where state in ('uploading', 'pending', 'running')`.execute(
    db,
  )
  await sql`create unique index import_one_running on import (org_id) where state = 'running'`.execute(db)
  await sql`create unique index import_applied_once on import (org_id, applied_from) where deleted_at is null and applied_from is not null`.execute(
    db,
  )
  await sql`create index import_of_file on import (org_id, file_id)`.execute(db)
  await sql`
    create table import_line (
      org_id bigint not null,
      file_id bigint not null,
      line integer not null,
      size integer not null,
      external_key text collate "pg_c_utf8",
      cells jsonb not null,
      primary key (org_id, file_id, line)
    )`.execute(db)
  await sql`create index import_line_key on import_line (org_id, file_id, external_key, line) where external_key is not null`.execute(
    db,
  )
  await sql`
    create table import_row (
      org_id bigint not null,
      import_id bigint not null,
      line integer not null,
      outcome text not null constraint import_row_outcome
        check (outcome in ('created', 'updated', 'unchanged', 'failed')),
      external_key text,
      resource_id bigint,
      changes jsonb not null,
      errors jsonb not null,
      primary key (org_id, import_id, line)
    )`.execute(db)
  await sql`create index import_row_outcome on import_row (org_id, import_id, outcome, line)`.execute(db)
  await sql`
    create table import_fact (
      org_id bigint not null,
      import_id bigint not null,
      kind text not null constraint import_fact_kind check (kind in ('thing', 'tag', 'number')),
      key text not null,
      value jsonb not null,
      primary key (org_id, import_id, kind, key)
    )`.execute(db)
  await protectByOrganization(db, ['import', 'import_line', 'import_row', 'import_fact'])
}

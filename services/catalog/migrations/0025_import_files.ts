import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * How a file was read, what it may have lost, and what an empty cell does (D19.5). `position` is the place of a line in
 * the order of parents, of files whose order is another one; `is_circular`: its parents lead back to themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table import
      add column encoding text not null default 'utf-8',
      add column empty_cells text not null default 'clear',
      add column first_names text[] not null default '{}',
      add column unread_columns text[] not null default '{}',
      add column is_reordered boolean not null default false,
      add column warned integer not null default 0,
      add column tags_removed integer not null default 0`.execute(db)
  await sql`
    alter table import_line
      add column parent_key text collate "pg_c_utf8",
      add column position integer,
      add column is_circular boolean not null default false`.execute(db)
  await openToRoles(db, {
    import_line: { organization: 'org_id', tenant: 'select, insert, update, delete' },
  })
  await sql`alter table import_row add column warnings jsonb not null default '[]'`.execute(db)
}

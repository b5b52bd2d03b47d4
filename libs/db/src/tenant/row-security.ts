import { sql, type Kysely } from 'kysely'
import { ORG_SETTING } from './tenant-database.ts'

/**
 * Only for migrations older than `openToRoles` (role-access.ts), which later ones call. Hides the rows of `tables` from
 * all roles but the owner, unless the session is set to the organization of the row.
 */
export async function protectByOrganization(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db)
    await sql`create policy own_organization on ${sql.table(table)}
      using (org_id = ${sql.raw(`current_setting('${ORG_SETTING}')`)}::bigint)`.execute(db)
  }
}

/**
 * Only for migrations older than `openToRoles`, which revokes these rights. Gives the role of requests all rights on
 * all tables of the schema, including future ones.
 */
export async function grantToTenant(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `do $$
    declare
      tenant text := current_user || '_tenant';
      own text := current_schema();
    begin
      if not exists (select from pg_roles where rolname = tenant) then
        raise exception 'role % is missing', tenant using hint = 'Run deploy/database/roles.sql, then migrate again.';
      end if;
      execute format('grant usage on schema %I to %I', own, tenant);
      execute format('grant select, insert, update, delete on all tables in schema %I to %I', own, tenant);
      execute format('grant usage on all sequences in schema %I to %I', own, tenant);
      execute format('alter default privileges in schema %I grant select, insert, update, delete on tables to %I', own, tenant);
      execute format('alter default privileges in schema %I grant usage on sequences to %I', own, tenant);
    end $$`,
    )
    .execute(db)
}

/**
 * Creates the view `own_<table>`: the rows of the session's organization, read with the rights of the owner. It is for
 * conditions such as LIKE. Under row-level security these never use an index, because an operator that is not leakproof
 * must not see hidden rows. The view has the organization in its statement, and a session cannot name another one. The
 * role of requests may only read the view.
 */
export async function createOwnRowsView(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const view = sql.table(`own_${table}`)
  await sql`create or replace view ${view} as
    select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where org_id = ${sql.raw(`current_setting('${ORG_SETTING}')`)}::bigint`.execute(db)
  await sql
    .raw(
      `do $$ begin
        execute format('revoke all on own_${table} from %I', current_user || '_tenant');
        execute format('grant select on own_${table} to %I', current_user || '_tenant');
      end $$`,
    )
    .execute(db)
}

import { closeToRoles, openToRoles } from '@whereabouts/db/tenant/role-access'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * What requests of one organization and what concerns many may do, table by table (ADR 38). The release before this one
 * goes on as the owner of the tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await closeToRoles(db)
  await createMonthFunctions(db)
  // For substrings, which find no index under row-level security.
  await createOwnRowsView(db, 'asset', [
    'org_id', 'id', 'external_key', 'name', 'valid_from', 'valid_to', 'deleted_at', 'is_scanned', 'search_text',
  ]) // oxfmt-ignore
  await createOwnRowsView(db, 'tag', ['org_id', 'id', 'asset_id', 'deleted_at', 'search_text'])
  // Saves and claims write what reads write, and the projection rows that they have just learned of.
  const both = { organization: 'org_id', tenant: 'select, insert, update', worker: 'select, insert, update' }
  const noticed = { organization: 'org_id', worker: 'select, insert, update, delete' }
  const settings = { organization: 'org_id', tenant: 'select, insert, update, delete', worker: 'select' }
  await openToRoles(db, {
    asset: both,
    location: both,
    tag: both,
    own_asset: { tenant: 'select' },
    own_tag: { tenant: 'select' },
    position: both,
    asset_place: both,
    scan: both,
    placement: { organization: 'org_id', tenant: 'select, insert, update' },
    reader: settings,
    scan_point: settings,
    reader_health: { ...noticed, tenant: 'select' },
    unknown_tag: { ...noticed, tenant: 'select, delete' },
    outbox: { tenant: 'insert', worker: 'select, insert, delete' },
  })
  await protectMonths(db)
}

/**
 * Tables are made as their owner only, so both roles ask a function of the owner for the partition of a month. It locks
 * neither readers nor writers out: the table is made by itself and then attached. A partition that an earlier attempt has
 * half detached is detached first.
 */
async function createMonthFunctions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ owner: string; schema: string }>`
    select current_user as owner, current_schema() as schema`.execute(db)
  const { owner = '', schema = '' } = rows[0] ?? {}
  await sql`
    create or replace function protect_scan_month(name text) returns void language plpgsql
    set search_path = ${sql.id(schema)}, pg_temp as $$
    begin
      execute format('alter table %I enable row level security', name);
      execute format('drop policy if exists own_organization on %I', name);
      execute format('drop policy if exists every_organization on %I', name);
      execute format('create policy own_organization on %I to %I
        using (org_id = current_setting(''whereabouts.org_id'')::bigint)', name, current_user || '_tenant');
      execute format('create policy every_organization on %I to %I using (true)', name, current_user || '_worker');
    end $$`.execute(db)
  await sql`
    create or replace function make_scan_month(month text) returns void language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp as $$
    declare
      name text := 'scan_' || replace(month, '-', '_');
      first date;
    begin
      if month !~ '^[0-9]{4}-[0-9]{2}$' then
        raise exception 'not a month: %', month;
      end if;
      first := (month || '-01')::date;
      if exists (select from pg_inherits where inhrelid = to_regclass(name) and inhdetachpending) then
        execute format('alter table scan detach partition %I finalize', name);
      end if;
      execute format('create table if not exists %I (like scan including all)', name);
      perform protect_scan_month(name);
      execute format('alter table scan attach partition %I for values from (%L) to (%L)', name,
        first || 'T00:00:00Z', (first + interval '1 month')::date || 'T00:00:00Z');
    end $$`.execute(db)
  await sql`revoke all on function protect_scan_month, make_scan_month from public`.execute(db)
  const roles = ['tenant', 'worker'].map((role) => sql.id(`${owner}_${role}`))
  await sql`grant execute on function make_scan_month to ${sql.join(roles)}`.execute(db)
}

/** Those that are there; the service looks after those that the release before this one still makes. */
async function protectMonths(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ '^scan_[0-9]{4}_[0-9]{2}$'
    order by 1`.execute(db)
  for (const { name } of rows) await sql`select protect_scan_month(${name})`.execute(db)
}

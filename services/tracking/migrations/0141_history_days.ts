import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * `scan` gets a partition for each day. Months that were made before stay until all their days are packed; those without rows
 * give way now. The release before this one still asks for the partitions of months, and gets those of their days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ owner: string; schema: string }>`
    select current_user as owner, current_schema() as schema`.execute(db)
  const { owner = '', schema = '' } = rows[0] ?? {}
  await createPartitionFunctions(db, schema)
  await sql`revoke all on function make_partition, make_history_day from public`.execute(db)
  const roles = ['tenant', 'worker'].map((role) => sql.id(`${owner}_${role}`))
  await sql`grant execute on function make_history_day to ${sql.join(roles)}`.execute(db)
  await dropEmptyMonths(db)
}

async function createPartitionFunctions(db: Kysely<unknown>, schema: string): Promise<void> {
  await sql`
    create or replace function make_partition(parent text, name text, first text, until text) returns void
    language plpgsql set search_path = ${sql.id(schema)}, pg_temp as $$
    begin
      if exists (select from pg_inherits where inhrelid = to_regclass(name) and inhdetachpending) then
        execute format('alter table %I detach partition %I finalize', parent, name);
      end if;
      if exists (select from pg_inherits where inhrelid = to_regclass(name)) then
        return;
      end if;
      execute format('create table if not exists %I (like %I including all)', name, parent);
      perform protect_scan_month(name);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, until);
    end $$`.execute(db)
  await sql`
    create or replace function make_history_day(day date) returns void language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp as $$
    declare
      month text := to_char(day, 'YYYY_MM');
      first date := date_trunc('month', day)::date;
      next date := (date_trunc('month', day) + interval '1 month')::date;
    begin
      -- The lock of withPartitionLock. Two sessions that create the same table at once would fail.
      perform pg_advisory_xact_lock(hashtextextended('partitions:' || current_schema(), 0));
      perform make_partition('movement', 'movement_' || month, first || 'T00:00:00Z', next || 'T00:00:00Z');
      perform make_partition('day_packed', 'day_packed_' || month, first::text, next::text);
      if not exists (select from pg_inherits where inhrelid = to_regclass('scan_' || month)) then
        perform make_partition('scan', 'scan_' || to_char(day, 'YYYY_MM_DD'), day || 'T00:00:00Z', (day + 1) || 'T00:00:00Z');
      end if;
    end $$`.execute(db)
  await sql`
    create or replace function make_scan_month(month text) returns void language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp as $$
    declare
      first date := (month || '-01')::date;
      today date := (now() at time zone 'utc')::date;
    begin
      perform make_history_day(day::date)
      from generate_series(first, first + interval '1 month' - interval '1 day', interval '1 day') as day
      where day <= today + 7;
    end $$`.execute(db)
}

/** Safe to repeat. Months that begin in two days or later, because their first rows may arrive a little early. */
async function dropEmptyMonths(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string; is_pending: boolean }>`
    select c.relname as name, i.inhdetachpending as is_pending from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'scan'::regclass and c.relname ~ '^scan_[0-9]{4}_[0-9]{2}$'
      and to_date(substr(c.relname, 6), 'YYYY_MM') > (now() at time zone 'utc')::date + 2`.execute(db)
  for (const { name, is_pending } of rows) {
    const { rows: stored } = await sql`select from ${sql.table(name)} limit 1`.execute(db)
    if (stored.length > 0) continue
    const how = is_pending ? sql`finalize` : sql`concurrently` // pending after an interruption
    await sql`alter table scan detach partition ${sql.table(name)} ${how}`.execute(db)
    await sql`drop table ${sql.table(name)}`.execute(db)
  }
}

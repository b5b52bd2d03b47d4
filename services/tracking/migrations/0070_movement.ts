import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * The movements in history as it stands: one row for each row of `scan` at a location after a row at another one, or
 * after none. The service writes both in one transaction. Partitions are months, like those of `scan`.
 *
 * The release before this one writes `scan` alone. Until it is gone, a trigger repairs the movements for it; a later
 * migration drops the trigger. Sessions that write movements themselves set `whereabouts.writes_movements`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createMovement(db)
  await createMonths(db)
  await createRepair(db)
  await createTrigger(db)
}

async function createMovement(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table movement (
      org_id bigint not null,
      asset_id bigint not null,
      minute timestamptz not null,
      observed_at timestamptz not null,
      from_location_id bigint,
      to_location_id bigint not null,
      primary key (org_id, asset_id, minute)
    ) partition by range (minute)`.execute(db)
  // With minutes, not instants: equal keys share an entry, and a page sorts the rows of a minute.
  await sql`create index movement_minute on movement (org_id, minute)`.execute(db)
  await sql`create index movement_to on movement (org_id, to_location_id, minute)`.execute(db)
  await sql`create index movement_from on movement (org_id, from_location_id, minute)
    where from_location_id is not null`.execute(db)
  const all = 'select, insert, update, delete'
  await openToRoles(db, { movement: { organization: 'org_id', tenant: all, worker: all } })
}

/** The function of migration 0030 now makes the partitions of both tables, also when the release before this one calls it. */
async function createMonths(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  await sql`
    create or replace function make_scan_month(month text) returns void language plpgsql security definer
    set search_path = ${sql.id(rows[0]?.schema ?? '')}, pg_temp as $$
    declare
      parent text;
      name text;
      first date;
    begin
      if month !~ '^[0-9]{4}-[0-9]{2}$' then
        raise exception 'not a month: %', month;
      end if;
      first := (month || '-01')::date;
      foreach parent in array array['scan', 'movement'] loop
        name := parent || '_' || replace(month, '-', '_');
        if exists (select from pg_inherits where inhrelid = to_regclass(name) and inhdetachpending) then
          execute format('alter table %I detach partition %I finalize', parent, name);
        end if;
        continue when exists (select from pg_inherits where inhrelid = to_regclass(name));
        execute format('create table if not exists %I (like %I including all)', name, parent);
        perform protect_scan_month(name);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name,
          first || 'T00:00:00Z', (first + interval '1 month')::date || 'T00:00:00Z');
      end loop;
    end $$`.execute(db)
  await sql`
    select make_scan_month(replace(substr(c.relname, 6), '_', '-'))
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'scan'::regclass and not i.inhdetachpending and c.relname ~ '^scan_[0-9]{4}_[0-9]{2}$'
    order by c.relname`.execute(db)
}

/**
 * Makes the movements of these minutes, and of the rows that follow them, what the rows of `scan` say. Each row and its
 * neighbors are looked up by key (`offset 0`), whatever the planner expects.
 */
async function createRepair(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function repair_movements(orgs bigint[], assets bigint[], minutes timestamptz[]) returns void
    language plpgsql set search_path from current as $$
    begin
      with changed as (
        select c.org_id, c.asset_id, c.minute from unnest(orgs, assets, minutes) as c (org_id, asset_id, minute)
      ), touched as materialized (
        select c.org_id, c.asset_id, c.minute from changed c
        union
        select c.org_id, c.asset_id, n.minute from changed c cross join lateral (
          select s.minute from scan s
          where s.org_id = c.org_id and s.asset_id = c.asset_id and s.minute > c.minute
          order by s.minute limit 1 offset 0) n
      ), steps as materialized (
        select t.org_id, t.asset_id, t.minute, s.observed_at, b.location_id as from_id, s.location_id as to_id
        from touched t cross join lateral (
          select s.observed_at, s.location_id from scan s
          where s.org_id = t.org_id and s.asset_id = t.asset_id and s.minute = t.minute offset 0) s
        left join lateral (
          select b.location_id from scan b
          where b.org_id = t.org_id and b.asset_id = t.asset_id and b.minute < t.minute
          order by b.minute desc limit 1 offset 0) b on true
      ), gone as (
        delete from movement m using steps s
        where m.org_id = s.org_id and m.asset_id = s.asset_id and m.minute = s.minute
          and (s.to_id is null or s.to_id is not distinct from s.from_id)
      )
      insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
      select s.org_id, s.asset_id, s.minute, s.observed_at, s.from_id, s.to_id from steps s
      where s.to_id is not null and s.to_id is distinct from s.from_id
      on conflict (org_id, asset_id, minute) do update set
        observed_at = excluded.observed_at, from_location_id = excluded.from_location_id,
        to_location_id = excluded.to_location_id;
    end $$`.execute(db)
}

/** Last, because it locks writers of `scan` out until the transaction ends. */
async function createTrigger(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function repair_movement() returns trigger language plpgsql set search_path from current as $$
    begin
      perform repair_movements(array[new.org_id], array[new.asset_id], array[new.minute]);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger scan_moved after insert or update on scan for each row
    when (current_setting('whereabouts.writes_movements', true) is distinct from 'on')
    execute function repair_movement()`.execute(db)
}

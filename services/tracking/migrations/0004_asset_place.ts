import { sql, type Kysely } from 'kysely'

/**
 * What the report filters, counts and sorts by, divided by how often it changes, since an index is only read without
 * its table where the rows did not change of late:
 *
 * - `asset`, when catalog changes something: key, name, validity, and whether the asset was ever scanned;
 * - `asset_place`, when an asset moves: its location;
 * - `position`, with every minute in which it is read: when it was last seen. It has as few indexes as possible, as
 *   each of them is written every time.
 *
 * The validity is copied down this chain by triggers and not by the service, so that a release which does not know of
 * it keeps it true while both run. `position` has a row for every asset from now on: who is second to insert it, the
 * first scan or the first state from catalog, waits for the other one and sees what it wrote. It is locked before
 * `asset` by all, hence never in a circle.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await demandSearch(db)
  await addColumns(db)
  await createAssetPlace(db)
  await createIndexes(db)
  await createTriggers(db)
}

/** For the migrations behind this one, which cannot be rolled back. */
async function demandSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      if (select count(*) from pg_opclass where opcname in ('gin_trgm_ops', 'int8_ops') and pg_opclass_is_visible(oid)
          and opcmethod = (select oid from pg_am where amname = 'gin')) < 2 then
        raise exception 'the extensions pg_trgm and btree_gin cannot be seen'
          using hint = 'Run deploy/database/roles.sql, then migrate again.';
      end if;
    end $$`.execute(db)
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table asset
      alter column external_key type text collate "pg_c_utf8",
      alter column name type text collate "pg_c_utf8",
      add column is_scanned boolean not null default false,
      add column search_text text collate "pg_c_utf8" not null generated always as
        (lower((name || chr(31) || external_key) collate "pg_c_utf8")) stored`.execute(db)
  await sql`
    alter table tag
      alter column value type text collate "pg_c_utf8",
      add column search_text text collate "pg_c_utf8" not null generated always as
        (lower(value collate "pg_c_utf8")) stored`.execute(db)
  await sql`alter table location alter column external_key type text collate "pg_c_utf8"`.execute(db)
  // Null while catalog has told nothing of the asset, which is then not listed.
  await sql`
    alter table position
      add column valid_from timestamptz,
      add column valid_to timestamptz,
      add column deleted_at timestamptz,
      set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`.execute(db)
}

/** One row for each asset that was scanned and is known. */
async function createAssetPlace(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table asset_place (
      org_id bigint not null,
      asset_id bigint not null,
      location_id bigint,
      valid_from timestamptz not null,
      valid_to timestamptz,
      deleted_at timestamptz,
      primary key (org_id, asset_id)
    ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`.execute(db)
  await sql`
    create index asset_place_location on asset_place (org_id, location_id, asset_id)
    include (valid_from, valid_to, deleted_at)`.execute(db)
}

/** None holds a row yet, so building them takes no longer than reading the table once. */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index asset_listed_key on asset (org_id, external_key, id)
    include (valid_from, valid_to, deleted_at) where is_scanned`.execute(db)
  // The listed ones are all that were scanned and are not deleted, less the few whose time is over or has not come.
  await sql`
    create index asset_listed_until on asset (org_id, valid_to)
    where is_scanned and deleted_at is null`.execute(db)
  await sql`
    create index asset_listed_from on asset (org_id, valid_from)
    where is_scanned and deleted_at is null`.execute(db)
  await sql`
    create index position_seen on position (org_id, observed_at desc, asset_id)
    include (valid_from, valid_to)
    where minute > '-infinity' and valid_from is not null and deleted_at is null`.execute(db)
  await sql`
    create index position_seen_deleted on position (org_id, observed_at desc, asset_id)
    where minute > '-infinity' and valid_from is not null and deleted_at is not null`.execute(db)
}

/** The search path is part of the functions: an administrator who repairs something has another one. */
async function createTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function place_asset() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into asset_place (org_id, asset_id, location_id, valid_from, valid_to, deleted_at)
      values (new.org_id, new.asset_id, new.location_id, new.valid_from, new.valid_to, new.deleted_at)
      on conflict (org_id, asset_id) do update set
        location_id = excluded.location_id, valid_from = excluded.valid_from,
        valid_to = excluded.valid_to, deleted_at = excluded.deleted_at;
      update asset set is_scanned = true
      where org_id = new.org_id and id = new.asset_id and not is_scanned;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger position_inserted after insert on position for each row
    when (new.minute > '-infinity' and new.valid_from is not null)
    execute function place_asset()`.execute(db)
  await sql`
    create trigger position_updated after update on position for each row
    when (new.minute > '-infinity' and new.valid_from is not null and (
      old.location_id is distinct from new.location_id or old.minute = '-infinity'
      or old.valid_from is distinct from new.valid_from or old.valid_to is distinct from new.valid_to
      or old.deleted_at is distinct from new.deleted_at))
    execute function place_asset()`.execute(db)
  await sql`
    create function carry_validity() returns trigger language plpgsql set search_path from current as $$
    declare
      was_scanned boolean;
    begin
      insert into position (org_id, asset_id, minute, observed_at, valid_from, valid_to, deleted_at)
      values (new.org_id, new.id, '-infinity', '-infinity', new.valid_from, new.valid_to, new.deleted_at)
      on conflict (org_id, asset_id) do update set
        valid_from = excluded.valid_from, valid_to = excluded.valid_to, deleted_at = excluded.deleted_at
      returning minute > '-infinity' into was_scanned;
      -- Not said by place_asset where the position had this validity already: the asset was lost and came again.
      if was_scanned then
        update asset set is_scanned = true where org_id = new.org_id and id = new.id and not is_scanned;
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create function lock_position() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into position (org_id, asset_id, minute, observed_at)
      values (new.org_id, new.id, '-infinity', '-infinity') on conflict (org_id, asset_id) do nothing;
      perform from position where org_id = new.org_id and asset_id = new.id for update;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger asset_comes before insert on asset for each row execute function lock_position()`.execute(
    db,
  )
  await sql`
    create trigger asset_inserted after insert on asset for each row
    execute function carry_validity()`.execute(db)
  await sql`
    create trigger asset_updated after update on asset for each row
    when (old.valid_from is distinct from new.valid_from or old.valid_to is distinct from new.valid_to
      or old.deleted_at is distinct from new.deleted_at)
    execute function carry_validity()`.execute(db)
  await sql`
    create function forget_assets() returns trigger language plpgsql set search_path from current as $$
    begin
      truncate asset_place;
      update position set valid_from = null, valid_to = null, deleted_at = null where valid_from is not null;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger asset_truncated after truncate on asset for each statement
    execute function forget_assets()`.execute(db)
}

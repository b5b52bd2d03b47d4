import { sql, type Kysely } from 'kysely'

/**
 * An asset that is known and listed already and only moves needs its place changed and nothing else: a trigger of its
 * own, since a big move runs it once for each asset. The other one keeps what is rarer: the first sight, and validity.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function move_asset() returns trigger language plpgsql set search_path from current as $$
    begin
      update asset_place set location_id = new.location_id
      where org_id = new.org_id and asset_id = new.asset_id;
      return null;
    end $$`.execute(db)
  await sql`
    create or replace trigger position_updated after update on position for each row
    when (new.minute > '-infinity' and new.valid_from is not null and (
      old.minute = '-infinity' or old.valid_from is distinct from new.valid_from
      or old.valid_to is distinct from new.valid_to or old.deleted_at is distinct from new.deleted_at))
    execute function place_asset()`.execute(db)
  await sql`
    create trigger position_moved after update on position for each row
    when (new.minute > '-infinity' and new.valid_from is not null
      and old.location_id is distinct from new.location_id and old.minute > '-infinity'
      and old.valid_from is not distinct from new.valid_from and old.valid_to is not distinct from new.valid_to
      and old.deleted_at is not distinct from new.deleted_at)
    execute function move_asset()`.execute(db)
}

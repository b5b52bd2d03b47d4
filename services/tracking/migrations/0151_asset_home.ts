import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { sql, type Kysely } from 'kysely'

/** Safe to repeat after it was interrupted. */
export const inTransaction = false

/**
 * The home of an asset (D21.1). Nobody could set one before, so null is right for all rows that are there. A trigger copies it to
 * `asset_place`, where an index has it beside the location: assets that are not at home are found without those that are.
 * It runs when the home changes, and when the asset is listed for the first time: before that it has no row there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['asset', 'asset_place'])
    await sql`alter table ${sql.table(table)} add column if not exists home_location_id bigint`.execute(db)
  await createIndexConcurrently(
    db,
    'asset_place_home',
    `asset_place (org_id, home_location_id, location_id, asset_id)
      include (valid_from, valid_to, deleted_at) where home_location_id is not null`,
  )
  await sql`
    create or replace function copy_home() returns trigger language plpgsql set search_path from current as $$
    begin
      update asset_place set home_location_id = new.home_location_id
      where org_id = new.org_id and asset_id = new.id and home_location_id is distinct from new.home_location_id;
      return null;
    end $$`.execute(db)
  await sql`
    create or replace trigger asset_home_changed after update on asset for each row
    when (new.is_scanned and (not old.is_scanned or old.home_location_id is distinct from new.home_location_id))
    execute function copy_home()`.execute(db)
}

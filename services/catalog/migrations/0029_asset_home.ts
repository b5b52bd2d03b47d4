import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

/** Safe to repeat after it was interrupted. */
export const inTransaction = false

export const contracts =
  'A release before this one writes no homes, and erases an organization in the order of the foreign keys that it finds.'

/**
 * Assets have a home (D21.1). The index has only those with one, so it is built and written for nobody else. The foreign key
 * is checked after it was added, so that writers do not wait while all assets are read.
 *
 * A stored text says whose key it shows, and counts only while that key is the one of the live home: a rename or a deletion of
 * a location writes no asset.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table asset add column if not exists home_location_id bigint`.execute(db)
  await createIndexConcurrently(db, 'asset_home', 'asset (org_id, home_location_id, id) where home_location_id is not null') // oxfmt-ignore
  await sql`alter table asset drop constraint if exists asset_home,
    add constraint asset_home foreign key (org_id, home_location_id) references location (org_id, id) not valid`.execute(
    db,
  )
  await sql`alter table asset validate constraint asset_home`.execute(db)
  await createOwnRowsView(db, 'asset', [
    'org_id', 'id', 'external_key', 'name', 'type', 'is_active', 'valid_from', 'valid_to', 'created_at', 'updated_at',
    'deleted_at', 'search_text', 'metadata', 'home_location_id',
  ]) // oxfmt-ignore
  await sql`alter table asset_text add column if not exists home_location_id bigint,
    add column if not exists home_key text collate "pg_c_utf8"`.execute(db)
}

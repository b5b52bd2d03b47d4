import { createIndexConcurrently, dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * The view is necessary because under row-level security `like` uses no index of the table. The index begins with the
 * organization, which needs btree_gin, so that similar texts of other organizations cost nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_extension where extname = 'btree_gin') then
        raise exception 'extension btree_gin is missing'
          using hint = 'Run deploy/database/roles.sql, then migrate again.';
      end if;
    end $$`.execute(db)
  await createIndexConcurrently(db, 'asset_found', 'asset using gin (org_id, search_text gin_trgm_ops)')
  await dropIndexConcurrently(db, 'asset_search')
  await createOwnRowsView(db, 'asset', [
    'org_id', 'id', 'external_key', 'name', 'type', 'is_active', 'valid_from', 'valid_to', 'created_at', 'updated_at',
    'deleted_at', 'search_text',
  ]) // oxfmt-ignore
}

import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * Lists are filtered by metadata (D12.13). The view has the column, because under row-level security `@>` uses no index of the
 * table. The index begins with the organization, like that of searches, and sorts its new entries as soon (0012).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(db, 'asset_metadata', 'asset using gin (org_id, metadata jsonb_path_ops)')
  await sql`alter index asset_metadata set (gin_pending_list_limit = 256)`.execute(db)
  await createOwnRowsView(db, 'asset', [
    'org_id', 'id', 'external_key', 'name', 'type', 'is_active', 'valid_from', 'valid_to', 'created_at', 'updated_at',
    'deleted_at', 'search_text', 'metadata',
  ]) // oxfmt-ignore
}

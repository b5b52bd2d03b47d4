import { createIndexConcurrently, dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** As for assets. Searches ignore deleted tags. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const definition = 'tag using gin (org_id, search_text gin_trgm_ops) where deleted_at is null'
  await createIndexConcurrently(db, 'tag_found', definition)
  await dropIndexConcurrently(db, 'tag_search')
  await createOwnRowsView(db, 'tag', ['org_id', 'asset_id', 'location_id', 'deleted_at', 'search_text'])
}

import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * Lists of live assets count, filter and skip with this index alone. Of 200 000 assets, the count takes 24 ms instead of
 * 120, and a page after 150 000 others 36 ms instead of 160.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(
    db,
    'asset_listed',
    `asset (org_id, external_key, id) include (valid_from, valid_to, is_active, type) where deleted_at is null`,
  )
}

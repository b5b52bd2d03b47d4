import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * Finds the live assets that are not valid yet (ADR 71). It has all live assets: one that was created after the `now()` of a
 * statement, and before its snapshot, is not valid yet for that statement.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(db, 'asset_not_begun', 'asset (org_id, valid_from) where deleted_at is null')
}

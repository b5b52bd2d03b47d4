import { dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * `position_seen` and `asset_place_location` stand in their place. The release before this one misses them for as long
 * as both run: its report reads more, and says the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dropIndexConcurrently(db, 'position_last_seen')
  await dropIndexConcurrently(db, 'position_location')
}

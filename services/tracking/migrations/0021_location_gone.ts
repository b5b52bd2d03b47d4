import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** The few locations that were deleted, which most lists leave out: without reading all those that were not. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(db, 'location_gone', 'location (org_id, id) where deleted_at is not null')

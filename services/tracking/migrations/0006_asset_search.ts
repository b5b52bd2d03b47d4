import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** With the organization in it, a small one is not searched through the rows of all others. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(
    db,
    'asset_search',
    'asset using gin (org_id, search_text gin_trgm_ops) where is_scanned',
  )

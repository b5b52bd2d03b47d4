import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(
    db,
    'tag_search',
    'tag using gin (org_id, search_text gin_trgm_ops) where deleted_at is null and asset_id is not null',
  )

import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Moves are read ahead of all other events, so that an import does not delay them. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(db, 'event_moves', `event (org_id, seq) where type = 'asset.moved'`)

import { dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** `position_seen_place` stands in its place, for the release before this one as well. */
export const up = (db: Kysely<unknown>): Promise<void> => dropIndexConcurrently(db, 'position_seen')

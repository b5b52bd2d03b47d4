import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Of positions with a read that becomes an observation of the next minute. Empty without the setting. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(db, 'position_carry_at', 'position (carry_at) where carry_at is not null')

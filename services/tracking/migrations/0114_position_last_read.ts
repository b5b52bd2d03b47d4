import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * Of positions that were read at another place than that of their rows. Some of them wait (D18.3): for the report of
 * unsteady assets, and to carry them when an organization wants that.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(
    db,
    'position_last_read',
    "position (org_id, asset_id) where (evidence -> 'last') is not null",
  )

import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Finds the live assets that are no longer valid, which the total of a list leaves out (ADR 71). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const definition = 'asset (org_id, valid_to) where deleted_at is null and valid_to is not null'
  await createIndexConcurrently(db, 'asset_ended', definition)
}

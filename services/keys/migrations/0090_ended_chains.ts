import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Chains that were ended are purged after two hours instead of 30 days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(
    db,
    'token_chain_revoked',
    'token_chain (revoked_at) where revoked_at is not null',
  )
}

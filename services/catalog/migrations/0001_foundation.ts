import { createMintedIds, createRevisions, idShares } from '@whereabouts/db/minted-ids'
import { createOutbox } from '@whereabouts/db/outbox/outbox'
import type { Kysely } from 'kysely'

/** What every table of this schema builds on: public ids, revisions, the outbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createMintedIds(db, idShares.catalog)
  await createRevisions(db)
  await createOutbox(db)
}

import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** The next lines of a file that is processed in another order than it has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(
    db,
    'import_line_position',
    'import_line (org_id, file_id, position) where position is not null',
  )
}

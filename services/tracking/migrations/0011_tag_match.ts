import { createIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Live tags by the form in which reads are compared with them, for what is read and might have become known. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  createIndexConcurrently(
    db,
    'tag_match',
    `tag (org_id, tag_type, (case tag_type when 'barcode' then value
      else upper(translate(value, E' \\t\\n\\r:-', '')) end)) where deleted_at is null`,
  )

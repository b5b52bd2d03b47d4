import { createIndexConcurrently, dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** Like the index of 0011, with barcodes in the form in which they compare (D19). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexConcurrently(
    db,
    'tag_compared',
    `tag (org_id, tag_type, (case tag_type
      when 'barcode' then normalize(translate(btrim(value, E' \\t\\n\\r'), '␜␝␞␟␄', E'\\x1c\\x1d\\x1e\\x1f\\x04'), NFC)
      else upper(translate(value, E' \\t\\n\\r:-', '')) end)) where deleted_at is null`,
  )
  await dropIndexConcurrently(db, 'tag_match')
}

import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { fillSearchText } from '@whereabouts/db/schema/search-text'
import { sql, type Kysely } from 'kysely'

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

/** The stored texts get the form in which 0132 has new ones searched. Unknown barcodes have the form that is compared (D19). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await fillSearchText(db, 'asset', ['name', 'external_key'])
  await fillSearchText(db, 'tag', ['value'])
  const { rows } = await sql<{ org_id: number; id: number; value: string }>`
    select org_id, id, value from unknown_tag where tag_type = 'barcode' and value !~ '^[!-~]*$'`.execute(db)
  // Another spelling goes: the next read of the label counts for the one that stays.
  for (const { org_id, id, value } of rows)
    if (matchValue('barcode', value) !== value)
      await sql`delete from unknown_tag where org_id = ${org_id} and id = ${id}`.execute(db)
}

import { keepSearchText } from '@whereabouts/db/schema/search-text'
import { sql, type Kysely } from 'kysely'

/**
 * Texts are searched in one Unicode spelling (D19.2, ADR 107). From now on, a trigger writes that form; 0023 fills old rows.
 *
 * Barcodes were unique as sent. `is_twin` marks the newer ones of live barcodes that are equal by now, which stay as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['asset', 'location'])
    await keepSearchText(db, table, ['name', 'external_key', 'description'])
  await keepSearchText(db, 'tag', ['value'])
  await sql`alter table tag add column is_twin boolean not null default false`.execute(db)
}

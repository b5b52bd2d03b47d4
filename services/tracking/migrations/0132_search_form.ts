import { keepSearchText } from '@whereabouts/db/schema/search-text'
import type { Kysely } from 'kysely'

/** Texts are searched in one Unicode spelling (D19.2, ADR 107). From now on, a trigger writes that form; 0133 fills old rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await keepSearchText(db, 'asset', ['name', 'external_key'])
  await keepSearchText(db, 'tag', ['value'])
}

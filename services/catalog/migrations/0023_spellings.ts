import { matchValue, trimBarcode } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { fillSearchText } from '@whereabouts/db/schema/search-text'
import { sql, type Kysely } from 'kysely'

const BATCH = 1000

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

/** The stored texts get the form in which 0022 has new ones searched, and barcodes lose their ends (D19.1). */
export async function up(db: Kysely<unknown>): Promise<void> {
  let last: Row | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0, value: '' }
  while (last) last = await updateBarcodes(db, last)
  for (const table of ['asset', 'location'])
    await fillSearchText(db, table, ['name', 'external_key', 'description'])
  await fillSearchText(db, 'tag', ['value'])
}

type Row = { org_id: number; id: number; value: string }

/** Deleted ones too, because a restore brings them back. Few barcodes are not printable ASCII, so one by one. */
async function updateBarcodes(db: Kysely<unknown>, after: Row): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select org_id, id, value from tag
    where (org_id, id) > (${after.org_id}, ${after.id}) and tag_type = 'barcode' and value !~ '^[!-~]*$'
    order by org_id, id limit ${BATCH}`.execute(db)
  for (const { org_id, id, value } of rows) {
    const [form, trimmed] = [matchValue('barcode', value), trimBarcode(value) || value]
    if (form !== value)
      await sql`update tag set match_value = ${form} where org_id = ${org_id} and id = ${id} and match_value <> ${form}`.execute(
        db,
      )
    if (trimmed !== value) await trim(db, { org_id, id, value: trimmed })
  }
  return rows.at(-1)
}

/** One whose text without ends is another live tag keeps them: both are attached, and `is_twin` is for them. */
const trim = (db: Kysely<unknown>, { org_id, id, value }: Row) =>
  sql`
    update tag set value = ${value} where org_id = ${org_id} and id = ${id} and not exists (
      select from tag as other where other.org_id = ${org_id} and other.tag_type = 'barcode' and other.value = ${value}
        and other.deleted_at is null and tag.deleted_at is null)`.execute(db)

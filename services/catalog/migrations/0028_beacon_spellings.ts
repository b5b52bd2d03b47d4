import { beaconValue } from '@whereabouts/contracts/resources/catalog/beacons'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { sql, type Kysely } from 'kysely'

const BATCH = 1000

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

/** Beacons get the form that reads have, and then the one spelling in which new ones are stored (D19.3). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const write of [writeForm, writeSpelling]) {
    let last: Row | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0, value: '' }
    while (last) last = await updateBeacons(db, last, write)
  }
}

type Row = { org_id: number; id: number; value: string }
type Write = (db: Kysely<unknown>, row: Row, spelling: string) => Promise<unknown>

/** Deleted ones too, because a restore brings them back. */
async function updateBeacons(db: Kysely<unknown>, after: Row, write: Write): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select org_id, id, value from tag
    where (org_id, id) > (${after.org_id}, ${after.id}) and tag_type = 'ble' and length(value) >= 36
    order by org_id, id limit ${BATCH}`.execute(db)
  for (const row of rows) {
    const spelling = beaconValue(row.value)
    if (spelling !== undefined) await write(db, row, spelling)
  }
  return rows.at(-1)
}

const writeForm: Write = (db, { org_id, id }, spelling) =>
  sql`
    update tag set match_value = ${matchValue('ble', spelling)}
    where org_id = ${org_id} and id = ${id} and match_value <> ${matchValue('ble', spelling)}`.execute(db)

/**
 * Of several live ones, the one that reads match gets it: that with the spelling, otherwise the oldest. The others stay as
 * they are, twins: all are attached, and no further one can be.
 */
const writeSpelling: Write = async (db, { org_id, id, value }, spelling) => {
  if (value === spelling) return
  await sql`
    with taken as (
      select tag.deleted_at is null and exists (
        select from tag as other where other.org_id = ${org_id} and other.tag_type = 'ble' and other.deleted_at is null
          and other.match_value = tag.match_value and other.id <> tag.id
          and (other.value = ${spelling} or (other.created_at, other.id) < (tag.created_at, tag.id))) as is_taken
      from tag where tag.org_id = ${org_id} and tag.id = ${id})
    update tag set value = case when is_taken then tag.value else ${spelling} end, is_twin = is_taken
    from taken where tag.org_id = ${org_id} and tag.id = ${id}`.execute(db)
}

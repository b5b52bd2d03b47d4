import { beaconValue } from '@whereabouts/contracts/resources/catalog/beacons'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { sql, type Kysely } from 'kysely'

const BATCH = 1000

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

/** Beacons get the one spelling in which new ones are stored, and the form that reads have (D19.3). */
export async function up(db: Kysely<unknown>): Promise<void> {
  let last: Row | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0, value: '' }
  while (last) last = await updateBeacons(db, last)
}

type Row = { org_id: number; id: number; value: string }

/** Deleted ones too, because a restore brings them back. Oldest first, so that the one that reads match gets the spelling. */
async function updateBeacons(db: Kysely<unknown>, after: Row): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select org_id, id, value from tag
    where (org_id, id) > (${after.org_id}, ${after.id}) and tag_type = 'ble' and length(value) >= 36
    order by org_id, id limit ${BATCH}`.execute(db)
  for (const { org_id, id, value } of rows) {
    const spelling = beaconValue(value)
    if (spelling === undefined) continue
    await sql`
      update tag set match_value = ${matchValue('ble', spelling)}
      where org_id = ${org_id} and id = ${id} and match_value <> ${matchValue('ble', spelling)}`.execute(db)
    if (spelling !== value) await respell(db, { org_id, id, value: spelling })
  }
  return rows.at(-1)
}

/** One whose spelling another live tag has stays as it is, a twin: both are attached, and no third one can be. */
const respell = (db: Kysely<unknown>, { org_id, id, value }: Row) =>
  sql`
    with taken as (
      select exists (
        select from tag as other where other.org_id = ${org_id} and other.tag_type = 'ble' and other.value = ${value}
          and other.deleted_at is null) as is_taken)
    update tag set
      value = case when is_taken and deleted_at is null then tag.value else ${value} end,
      is_twin = is_taken and deleted_at is null
    from taken where org_id = ${org_id} and id = ${id}`.execute(db)

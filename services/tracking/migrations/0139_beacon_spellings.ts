import { beaconValue } from '@whereabouts/contracts/resources/catalog/beacons'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { sql, type Kysely } from 'kysely'

const BATCH = 1000

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

/** Beacons are compared in one spelling (D19.3). Those that are attached in another one are no longer unknown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let last: Row | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0, value: '', is_live: false }
  while (last) last = await updateBeacons(db, last)
}

type Row = { org_id: number; id: number; value: string; is_live: boolean }

async function updateBeacons(db: Kysely<unknown>, after: Row): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select org_id, id, value, deleted_at is null as is_live from tag
    where (org_id, id) > (${after.org_id}, ${after.id}) and tag_type = 'ble' and length(value) >= 36
    order by org_id, id limit ${BATCH}`.execute(db)
  for (const { org_id, id, value, is_live } of rows) {
    const spelling = beaconValue(value)
    if (spelling === undefined || spelling === value) continue
    await sql`update tag set value = ${spelling} where org_id = ${org_id} and id = ${id}`.execute(db)
    if (is_live)
      await sql`
        delete from unknown_tag
        where org_id = ${org_id} and ibeacon_match = ${matchValue('ble', spelling)}`.execute(db)
  }
  return rows.at(-1)
}

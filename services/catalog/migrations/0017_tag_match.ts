import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { sql, type Kysely } from 'kysely'

const BATCH = 1000

/** In batches, next to writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

type Row = { org_id: number; id: number; value: string }

/** The form of `rfid` tags with `0x` or a URN changed (D6.5). Deleted tags too, because a restore brings them back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let last: Row | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0, value: '' }
  while (last) {
    const after: Row = last
    last = await db.transaction().execute((tx) => updateBatch(tx, after))
  }
}

async function updateBatch(tx: Kysely<unknown>, after: Row): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select org_id, id, value from tag
    where (org_id, id) > (${after.org_id}, ${after.id}) and tag_type = 'rfid' and match_value ~ '^(0X|URNEPC)'
    order by org_id, id limit ${BATCH} for update`.execute(tx)
  const forms = rows.map(({ org_id, id, value }) => ({ org_id, id, form: matchValue('rfid', value) }))
  await sql`
    update tag set match_value = given.form
    from jsonb_to_recordset(${JSON.stringify(forms)}::jsonb) as given (org_id bigint, id bigint, form text)
    where tag.org_id = given.org_id and tag.id = given.id and tag.match_value <> given.form`.execute(tx)
  return rows.at(-1)
}

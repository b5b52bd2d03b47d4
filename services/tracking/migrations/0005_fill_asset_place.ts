import { sql, type Kysely } from 'kysely'

const BATCH = 2_000

/** In batches, beside readers and writers; may be repeated after it broke off. */
export const inTransaction = false

type Place = { org_id: number; id: number }

/** Lets the triggers do for the assets that are there what they do for those that come. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let after: Place | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0 }
  while (after) {
    const from: Place = after
    after = await db.transaction().execute((tx) => fillBatch(tx, from))
  }
}

/** A change of an asset's validity holds the lock of its position, so a read under that lock is current. */
async function fillBatch(tx: Kysely<unknown>, after: Place): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select org_id, id from asset where (org_id, id) > (${after.org_id}, ${after.id})
    order by org_id, id limit ${BATCH}`.execute(tx)
  const batch = sql`unnest(${rows.map((row) => row.org_id)}::bigint[], ${rows.map((row) => row.id)}::bigint[])
    as batch (org_id, asset_id)`
  await sql`
    insert into position (org_id, asset_id, minute, observed_at)
    select org_id, asset_id, '-infinity', '-infinity' from ${batch} order by org_id, asset_id
    on conflict (org_id, asset_id) do nothing`.execute(tx)
  await sql`
    select from position p join ${batch} using (org_id, asset_id)
    order by p.org_id, p.asset_id for update of p`.execute(tx)
  await sql`
    update position p set valid_from = a.valid_from, valid_to = a.valid_to, deleted_at = a.deleted_at
    from ${batch} join asset a on a.org_id = batch.org_id and a.id = batch.asset_id
    where p.org_id = a.org_id and p.asset_id = a.id`.execute(tx)
  return rows.at(-1)
}

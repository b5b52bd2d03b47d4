import { sql, type Kysely } from 'kysely'

/** Assets in one transaction, whose scans wait for it. */
const BATCH = 100

/** In batches, next to readers and writers. Safe to repeat after it was interrupted. */
export const inTransaction = false

type Key = { org_id: number; asset_id: number }

/** Writes the movements of the history from before migration 0070. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let after: Key | undefined = { org_id: Number.MIN_SAFE_INTEGER, asset_id: 0 }
  while (after) {
    const from: Key = after
    after = await db.transaction().execute((tx) => fillBatch(tx, from))
  }
}

/** Every writer of rows holds the position. So what is read under its lock is current, and movements there are right. */
async function fillBatch(tx: Kysely<unknown>, after: Key): Promise<Key | undefined> {
  const { rows } = await sql<Key>`
    select org_id, asset_id from position where (org_id, asset_id) > (${after.org_id}, ${after.asset_id})
    order by org_id, asset_id limit ${BATCH} for update`.execute(tx)
  await sql`
    insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
    select k.org_id, k.asset_id, s.minute, s.observed_at, s.from_id, s.location_id
    from unnest(${rows.map((row) => row.org_id)}::bigint[], ${rows.map((row) => row.asset_id)}::bigint[])
      as k (org_id, asset_id)
    cross join lateral (
      select s.minute, s.observed_at, s.location_id, lag(s.location_id) over (order by s.minute) as from_id
      from scan s where s.org_id = k.org_id and s.asset_id = k.asset_id offset 0) s
    where s.location_id is not null and s.location_id is distinct from s.from_id
    on conflict (org_id, asset_id, minute) do nothing`.execute(tx)
  return rows.at(-1)
}

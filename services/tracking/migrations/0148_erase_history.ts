import { sql, type Kysely } from 'kysely'

/** Rows of history are deleted, not only their partitions (ADR 118); and the place of an asset that has no row left. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ owner: string }>`select current_user as owner`.execute(db)
  const [tenant, worker] = ['tenant', 'worker'].map((role) => sql.id(`${rows[0]?.owner ?? ''}_${role}`))
  await sql`grant delete on scan to ${tenant}, ${worker}`.execute(db)
  await sql`grant delete on asset_place to ${tenant}`.execute(db)
}

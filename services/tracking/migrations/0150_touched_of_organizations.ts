import { sql, type Kysely } from 'kysely'

/** Finds the rows of an organization that is deleted (ADR 126). The table is small: it has days that are to be packed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index history_touched_org on history_touched (org_id)`.execute(db)
}

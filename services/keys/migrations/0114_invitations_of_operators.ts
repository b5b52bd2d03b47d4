import { sql, type Kysely } from 'kysely'

/** An invitation without an administrator who sent it is the operator's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invitation alter column created_by drop not null`.execute(db)
}

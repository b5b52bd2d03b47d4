import { sql, type Kysely } from 'kysely'

/** What the tokens of a chain may do; null, as of all chains there are, is everything that the key may do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table token_chain add column scopes text[]`.execute(db)
}

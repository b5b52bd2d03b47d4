import { sql, type Kysely } from 'kysely'

/**
 * Builds an index while others write to the table. Called by a migration that is alone with it and says
 * `inTransaction = false`; what a run that broke off left behind is removed first. `definition` is what follows `on`.
 */
export async function createIndexConcurrently(
  db: Kysely<unknown>,
  name: string,
  definition: string,
): Promise<void> {
  await dropIndexConcurrently(db, name)
  await sql`create index concurrently ${sql.ref(name)} on ${sql.raw(definition)}`.execute(db)
}

/** Removes an index that another one has replaced, if it is still there. */
export async function dropIndexConcurrently(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db)
}

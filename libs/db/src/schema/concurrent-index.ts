import { sql, type Kysely } from 'kysely'

/**
 * Builds an index while others write to the table. The migration does nothing else and exports `inTransaction = false`.
 * First removes an invalid index of an earlier run that failed. `definition` is the text after `on`.
 */
export async function createIndexConcurrently(
  db: Kysely<unknown>,
  name: string,
  definition: string,
): Promise<void> {
  await dropIndexConcurrently(db, name)
  await sql`create index concurrently ${sql.ref(name)} on ${sql.raw(definition)}`.execute(db)
}

/** Removes an index if it exists. */
export async function dropIndexConcurrently(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db)
}

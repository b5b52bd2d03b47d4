import { sql, type Kysely } from 'kysely'

/** The clock offset of a reader that was farthest from 0 in an hour; null for an hour without a time in its messages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reader_hour add column clock_offset_ms bigint`.execute(db)
}

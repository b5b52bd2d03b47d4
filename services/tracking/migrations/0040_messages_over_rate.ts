import { sql, type Kysely } from 'kysely'

/** Messages of a reader that were dropped because its organization sends more a second than its keys may. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reader_health add column messages_over_rate bigint not null default 0`.execute(db)
}

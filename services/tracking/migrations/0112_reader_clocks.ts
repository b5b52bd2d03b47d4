import { sql, type Kysely } from 'kysely'

/**
 * What the times of a reader say about its clock (ADR 87): when a message last proved the clock right, the newest time that
 * ever did, the run of messages with one wrong offset, and the names that the device gave itself. `time_source` of a
 * reader: whose time counts. The release before this one fills none of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table reader_health
      add column reads_late bigint not null default 0,
      add column reads_too_weak bigint not null default 0,
      add column reads_outvoted bigint not null default 0,
      add column right_seen_at timestamptz,
      add column right_newest_at timestamptz,
      add column clock jsonb,
      add column identities jsonb`.execute(db)
  await sql`alter table reader add column time_source text not null default 'reader'`.execute(db)
}

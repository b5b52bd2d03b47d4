import { sql, type Kysely } from 'kysely'

/** What an organization may store, where that differs from the defaults of the services that store it (ADR 91). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table org add column limits jsonb not null default '{}'`.execute(db)
}

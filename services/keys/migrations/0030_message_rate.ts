import { sql, type Kysely } from 'kysely'

export const contracts = 'a rate must be positive, and the release before writes none'

/** Reader messages a second where an operator set the key's own rate; null is the rate of everybody. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key
    add column message_rate_per_second integer check (message_rate_per_second > 0)`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/**
 * Which location that came with an asset was recorded last, so that the message which tells of it once more changes
 * nothing. Apart from `position`, which is written with every scan.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table placement (
      org_id bigint not null,
      asset_id bigint not null,
      placed_at timestamptz not null,
      primary key (org_id, asset_id)
    )`.execute(db)
}

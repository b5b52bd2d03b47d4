import { sql, type Kysely } from 'kysely'

/**
 * What decided the location of a read (ADR 51); all null for a save. Rows of earlier releases have nothing here. A row
 * without a location names its scan point in a separate column, because a replica of the release before this one may
 * give such a row a location and leaves these columns as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table scan
      add column tag_id bigint,
      add column location_key text,
      add column scan_point_id bigint,
      add column empty_scan_point_id bigint`.execute(db)
}

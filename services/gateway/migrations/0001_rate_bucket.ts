import { sql, type Kysely } from 'kysely'

/**
 * One row per caller that took a token of late. `full_at` is when the bucket is full again, which says everything; a
 * missing row is a full bucket. Unlogged: a crash of the server fills every bucket, and no request waits for a disk.
 * The fill factor leaves room on the page, so that an update rewrites no index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_bucket (
      key text primary key,
      full_at timestamptz not null
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
}

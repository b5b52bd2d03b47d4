import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * One row per client address and account that was tried of late: `full_at` says everything, and a missing row is a full
 * bucket. Unlogged: a crash of the server fills every bucket, and no request waits for a disk.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_bucket (
      key text primary key,
      full_at timestamptz not null
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
  await openToRoles(db, { rate_bucket: { worker: 'select, insert, update, delete' } })
}

import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** One row: when the broker received the newest canary that ingest has stored (ADR 81). It belongs to no organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table canary (
      is_only boolean primary key default true check (is_only),
      received_at timestamptz not null
    )`.execute(db)
  await openToRoles(db, { canary: { worker: 'select, insert, update' } })
}

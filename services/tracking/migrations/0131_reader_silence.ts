import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * `silent_since`: `last_seen_at` of a reader that was said to be silent, until it is said to be online (ADR 105).
 * `steady_since`: since when ingest has stored canaries without a gap. Silence counts from there on at the earliest.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reader add column silent_since timestamptz`.execute(db)
  await sql`alter table canary add column steady_since timestamptz not null default clock_timestamp()`.execute(
    db,
  )
  // Readers that went silent before this release have no event. As of the newest canary, because services may be stopped.
  await sql`
    update reader r set silent_since = h.last_seen_at from reader_health h, canary c
    where h.org_id = r.org_id and h.reader_key = r.reader_key and h.last_seen_at <= c.received_at
      - greatest(120000, 3 * coalesce(h.usual_pause_ms, 100000)) * interval '1 millisecond'`.execute(db)
  const settings = { organization: 'org_id', tenant: 'select, insert, update, delete' }
  await openToRoles(db, { reader: { ...settings, worker: 'select, update' } })
}

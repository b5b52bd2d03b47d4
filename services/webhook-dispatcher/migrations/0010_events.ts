import { createRevisions } from '@whereabouts/db/minted-ids'
import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** The feed of events (ADR 100). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createRevisions(db) // `seq` of an event is above its value, which a restore moves past all that was shown
  // `data` is `json`, not `jsonb`: the text is shown and sent as it was recorded, and is never searched.
  await sql`
    create table event (
      org_id bigint not null,
      seq bigint not null,
      id uuid not null,
      type text not null,
      occurred_at timestamptz not null,
      recorded_at timestamptz(3) not null,
      data json not null,
      primary key (org_id, seq),
      constraint event_once unique (org_id, id)
    )`.execute(db)
  await sql`
    create table event_head (
      org_id bigint primary key,
      seq bigint not null,
      recorded_at timestamptz(3) not null,
      removed_seq bigint not null default 0
    ) with (fillfactor = 50)`.execute(db)
  await openToRoles(db, {
    event: { organization: 'org_id', tenant: 'select', worker: 'select, insert, delete' },
    event_head: { organization: 'org_id', tenant: 'select', worker: 'select, insert, update' },
    revision_seq: { tenant: 'select', worker: 'select' },
  })
}

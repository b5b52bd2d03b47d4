import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const contracts =
  'the constraint becomes an index of the same name, and the release before makes no further endpoints'

/** Further endpoints beside the webhook, and deliveries as rows (ADR 102). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table event add column about jsonb, add column trace text`.execute(db)
  await addEndpoints(db)
  await startWithTheLastMinute(db)
  await createDeliveries(db)
}

async function addEndpoints(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook
      add column is_primary boolean not null default true,
      add column event_types text[] not null default '{asset.moved}',
      add column retry text not null default 'standard',
      add column filter jsonb,
      add column moves_position bigint,
      add column others_position bigint,
      add column claimed_by uuid,
      add column claimed_until timestamptz,
      add column served_at timestamptz,
      add column failures integer not null default 0,
      add column failing_since timestamptz,
      add column health text not null default 'ok',
      add column disabled_because text,
      drop constraint webhook_one_per_org`.execute(db)
  await sql`create unique index webhook_one_per_org on webhook (org_id) where is_primary`.execute(db)
  await sql`create index webhook_by_org on webhook (org_id)`.execute(db)
}

/** Of events that the release before may hold, receivers get the last minute again, with the same ids. */
async function startWithTheLastMinute(db: Kysely<unknown>): Promise<void> {
  await sql`
    update webhook w set moves_position = seen.seq, others_position = seen.seq
    from webhook o cross join lateral (
      select coalesce(max(e.seq), 0) as seq from event e
      where e.org_id = o.org_id and e.recorded_at <= now() - interval '1 minute') seen
    where o.id = w.id`.execute(db)
}

/** One row per endpoint and event, from its first attempt on: what waits, and the log. */
async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table delivery (
      org_id bigint not null,
      webhook_id bigint not null,
      seq bigint not null,
      delivery_id uuid not null,
      type text not null,
      thing text,
      occurred_at timestamptz not null,
      state text not null,
      attempts smallint not null,
      first_at timestamptz,
      last_at timestamptz not null,
      next_attempt_at timestamptz,
      is_test boolean not null default false,
      log jsonb not null default '[]',
      primary key (webhook_id, seq),
      foreign key (webhook_id) references webhook (id) on delete cascade
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index delivery_by_last on delivery (webhook_id, last_at)`.execute(db)
  await sql`create index delivery_due on delivery (webhook_id, next_attempt_at) where state = 'waiting'`.execute(
    db,
  )
  await sql`create index delivery_of_thing on delivery (webhook_id, thing, seq) where state = 'waiting'`.execute(
    db,
  )
  await sql`
    create table delivery_hour (
      org_id bigint not null,
      webhook_id bigint not null,
      hour timestamptz not null,
      delivered integer not null,
      failed integer not null,
      primary key (webhook_id, hour),
      foreign key (webhook_id) references webhook (id) on delete cascade
    ) with (fillfactor = 50)`.execute(db)
  await openToRoles(db, {
    delivery: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker: 'select, insert, update, delete',
    },
    delivery_hour: {
      organization: 'org_id',
      tenant: 'select, delete',
      worker: 'select, insert, update, delete',
    },
    webhook: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker: 'select, update',
    },
  })
}

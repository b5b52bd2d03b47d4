import { createMintedIds, idShares } from '@whereabouts/db/minted-ids'
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createMintedIds(db, idShares['webhook-dispatcher'])
  await createWebhooks(db)
  await createDeliveryLog(db)
}

async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook (
      org_id bigint not null,
      id bigint not null default mint_id(),
      url text not null constraint webhook_url_length check (char_length(url) between 1 and 2048),
      enabled boolean not null,
      enabled_at timestamptz not null default clock_timestamp(),
      secret_ciphertext bytea not null,
      secret_key_id text not null,
      secret_last_four text not null,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      primary key (org_id, id),
      constraint webhook_id_unique unique (id),
      constraint webhook_one_per_org unique (org_id)
    )`.execute(db)
}

/**
 * The log is a ring of 500 slots per organization: writing attempt n replaces attempt n - 500 in place. It is bounded
 * without any trimming, and everything asked of it reads at most 500 rows by the primary key. Hence no further index.
 */
async function createDeliveryLog(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table delivery_counter (
      org_id bigint primary key,
      attempts bigint not null
    ) with (fillfactor = 50)`.execute(db)
  await sql`
    create table delivery_attempt (
      org_id bigint not null,
      slot smallint not null check (slot between 0 and 499),
      position bigint not null,
      webhook_id bigint not null,
      delivery_id uuid not null,
      attempt smallint not null,
      attempted_at timestamptz not null,
      outcome text not null,
      status_code smallint,
      latency_ms integer not null,
      error text,
      primary key (org_id, slot)
    ) with (fillfactor = 70)`.execute(db)
}

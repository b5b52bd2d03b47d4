import { createMintedIds, idShares } from '@whereabouts/db/minted-ids'
import { createOutbox } from '@whereabouts/db/outbox/outbox'
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createMintedIds(db, idShares.tracking)
  await createOutbox(db)
  await createProjections(db)
  await createReaders(db)
  await createScans(db)
}

/** What catalog tells about assets, locations and tags; `revision` decides what is newer. */
async function createProjections(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table asset (
      org_id bigint not null,
      id bigint not null,
      revision bigint not null,
      external_key text not null,
      name text not null,
      valid_from timestamptz not null,
      valid_to timestamptz,
      deleted_at timestamptz,
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index asset_external_key on asset (org_id, external_key)`.execute(db)
  await sql`
    create table location (
      org_id bigint not null,
      id bigint not null,
      revision bigint not null,
      external_key text not null,
      name text not null,
      deleted_at timestamptz,
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index location_external_key on location (org_id, external_key)`.execute(db)
  await sql`
    create table tag (
      org_id bigint not null,
      id bigint not null,
      revision bigint not null,
      tag_type text not null,
      value text not null,
      asset_id bigint,
      location_id bigint,
      created_at timestamptz not null,
      deleted_at timestamptz,
      primary key (org_id, id)
    )`.execute(db)
  await sql`create index tag_asset on tag (org_id, asset_id) where deleted_at is null`.execute(db)
}

/** What tracking owns about readers: configuration, and what was noticed about each, configured or not. */
async function createReaders(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reader (
      org_id bigint not null,
      id bigint not null default mint_id(),
      reader_key text not null,
      name text not null,
      format text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (org_id, id),
      constraint reader_key_unique unique (org_id, reader_key)
    )`.execute(db)
  await sql`
    create table scan_point (
      org_id bigint not null,
      id bigint not null default mint_id(),
      reader_id bigint not null,
      antenna integer not null check (antenna >= 1),
      name text not null,
      location_id bigint,
      primary key (org_id, id),
      constraint scan_point_antenna_unique unique (org_id, reader_id, antenna),
      foreign key (org_id, reader_id) references reader (org_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create table reader_health (
      org_id bigint not null,
      reader_key text not null,
      last_seen_at timestamptz not null,
      identity text,
      messages bigint not null default 0,
      reads bigint not null default 0,
      reads_unknown_tag bigint not null default 0,
      reads_unplaced bigint not null default 0,
      reads_clock_skewed bigint not null default 0,
      read_errors bigint not null default 0,
      messages_buried bigint not null default 0,
      last_problem text,
      last_problem_at timestamptz,
      primary key (org_id, reader_key)
    ) with (fillfactor = 70)`.execute(db)
}

/**
 * `scan` holds one row per asset and minute, whatever how often it was read; its primary key is what makes ingest
 * safe to repeat. Monthly partitions are made ahead by the service. `position` is the newest row of each asset.
 */
async function createScans(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scan (
      org_id bigint not null,
      asset_id bigint not null,
      minute timestamptz not null,
      observed_at timestamptz not null,
      location_id bigint,
      reader_key text,
      antenna integer,
      primary key (org_id, asset_id, minute)
    ) partition by range (minute)`.execute(db)
  await sql`
    create table position (
      org_id bigint not null,
      asset_id bigint not null,
      minute timestamptz not null,
      observed_at timestamptz not null,
      location_id bigint,
      dwell_started_at timestamptz,
      primary key (org_id, asset_id)
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index position_last_seen on position (org_id, observed_at desc, asset_id)`.execute(db)
  await sql`create index position_location on position (org_id, location_id)`.execute(db)
}

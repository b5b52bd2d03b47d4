import { sql, type Kysely } from 'kysely'

/**
 * Tags that are read and attached to nothing, and more of what is noticed about readers. The release before this one
 * writes none of it: its replicas count as they did.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table unknown_tag (
      org_id bigint not null,
      id bigint not null default mint_id(),
      tag_type text not null,
      value text collate "pg_c_utf8" not null,
      ibeacon text collate "pg_c_utf8",
      ibeacon_match text collate "pg_c_utf8" generated always as
        (upper(replace(ibeacon, '-', '') collate "pg_c_utf8")) stored,
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      reads bigint not null,
      reader_key text not null,
      antenna integer not null,
      rssi_dbm real,
      primary key (org_id, id),
      constraint unknown_tag_unique unique (org_id, tag_type, value)
    )`.execute(db)
  await sql`
    create index unknown_tag_last_seen on unknown_tag (org_id, tag_type, last_seen_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create index unknown_tag_ibeacon on unknown_tag (org_id, ibeacon_match)
    where ibeacon_match is not null`.execute(db)
  await sql`
    alter table reader_health
      add column reads_lost bigint not null default 0,
      add column clock_offset_ms bigint,
      add column usual_pause_ms bigint,
      add column rate_minute integer not null default 0,
      add column rate_reads bigint not null default 0,
      add column rate_before bigint not null default 0,
      add column device jsonb`.execute(db)
}

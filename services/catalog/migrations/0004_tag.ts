import { sql, type Kysely } from 'kysely'

/**
 * Tags of assets and locations share a table because type and value are unique over both. `match_value` is compared with
 * reads (D6.5). The service computes it, so that the product has one definition of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tag (
      org_id bigint not null,
      id bigint not null default mint_id(),
      tag_type text not null constraint tag_type check (tag_type in ('rfid', 'ble', 'barcode')),
      value text collate "pg_c_utf8" not null
        constraint tag_value_length check (char_length(value) between 1 and 255),
      match_value text not null,
      asset_id bigint,
      location_id bigint,
      created_at timestamptz not null default statement_timestamp(),
      deleted_at timestamptz,
      revision bigint not null default nextval('revision_seq'),
      search_text text collate "pg_c_utf8" not null generated always as (lower(value collate "pg_c_utf8")) stored,
      primary key (org_id, id),
      constraint tag_asset foreign key (org_id, asset_id) references asset (org_id, id),
      constraint tag_location foreign key (org_id, location_id) references location (org_id, id),
      constraint tag_owner check (num_nonnulls(asset_id, location_id) = 1)
    )`.execute(db)
  await sql`create unique index tag_live_value on tag (org_id, tag_type, value) where deleted_at is null`.execute(
    db,
  )
  await sql`create index tag_match on tag (org_id, tag_type, match_value) where deleted_at is null`.execute(
    db,
  )
  await sql`create index tag_of_asset on tag (org_id, asset_id) where asset_id is not null`.execute(db)
  await sql`create index tag_of_location on tag (org_id, location_id) where location_id is not null`.execute(
    db,
  )
  await sql`create index tag_search on tag using gin (search_text gin_trgm_ops) where deleted_at is null`.execute(
    db,
  )
}

import { sql, type Kysely } from 'kysely'

/** The same columns as location. Only scans say where an asset is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table asset (
      org_id bigint not null,
      id bigint not null default mint_id(),
      external_key text collate "pg_c_utf8" not null
        constraint asset_external_key_shape check (external_key ~ '^[A-Za-z0-9-]{1,255}$'),
      name text collate "pg_c_utf8" not null
        constraint asset_name_length check (char_length(name) between 1 and 255),
      description text constraint asset_description_length check (char_length(description) between 1 and 1024),
      type text not null default 'asset' constraint asset_type check (type in ('asset', 'person', 'inventory')),
      metadata jsonb not null default '{}'
        constraint asset_metadata_object check (jsonb_typeof(metadata) = 'object'),
      is_active boolean not null default true,
      valid_from timestamptz not null default statement_timestamp(),
      valid_to timestamptz,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      deleted_at timestamptz,
      revision bigint not null default nextval('revision_seq'),
      key_number numeric generated always as
        (case when external_key ~ '^ASSET-[0-9]+$' then substr(external_key, 7)::numeric end) stored,
      search_text text collate "pg_c_utf8" not null generated always as
        (lower((name || chr(31) || external_key || chr(31) || coalesce(description, '')) collate "pg_c_utf8")) stored,
      primary key (org_id, id),
      constraint asset_window check (valid_to > valid_from)
    )`.execute(db)
  await sql`create unique index asset_live_key on asset (org_id, external_key) where deleted_at is null`.execute(
    db,
  )
  await sql`create index asset_key_number on asset (org_id, key_number desc) where deleted_at is null and key_number is not null`.execute(
    db,
  )
  await sql`create index asset_by_external_key on asset (org_id, external_key, id)`.execute(db)
  await sql`create index asset_by_name on asset (org_id, name, id)`.execute(db)
  await sql`create index asset_by_created_at on asset (org_id, created_at, id)`.execute(db)
  await sql`create index asset_by_updated_at on asset (org_id, updated_at, id)`.execute(db)
  await sql`create index asset_search on asset using gin (search_text gin_trgm_ops)`.execute(db)
}

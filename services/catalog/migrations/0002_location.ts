import { sql, type Kysely } from 'kysely'

/**
 * Defaults are `statement_timestamp()`: one value for all three columns, later than any lock that an earlier statement of
 * the transaction waited for. The collation sorts by code point and folds case beyond ASCII, the same on every server. So
 * the search index, of lower-case text, does not depend on the database's locale. `key_number` is for minted keys. It is
 * numeric because the digits may exceed a bigint.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table location (
      org_id bigint not null,
      id bigint not null default mint_id(),
      external_key text collate "pg_c_utf8" not null
        constraint location_external_key_shape check (external_key ~ '^[A-Za-z0-9-]{1,255}$'),
      name text collate "pg_c_utf8" not null
        constraint location_name_length check (char_length(name) between 1 and 255),
      description text constraint location_description_length check (char_length(description) between 1 and 1024),
      parent_id bigint constraint location_not_its_parent check (parent_id <> id),
      is_active boolean not null default true,
      valid_from timestamptz not null default statement_timestamp(),
      valid_to timestamptz,
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      deleted_at timestamptz,
      revision bigint not null default nextval('revision_seq'),
      key_number numeric generated always as
        (case when external_key ~ '^LOC-[0-9]+$' then substr(external_key, 5)::numeric end) stored,
      search_text text collate "pg_c_utf8" not null generated always as
        (lower((name || chr(31) || external_key || chr(31) || coalesce(description, '')) collate "pg_c_utf8")) stored,
      primary key (org_id, id),
      constraint location_parent foreign key (org_id, parent_id) references location (org_id, id),
      constraint location_window check (valid_to > valid_from)
    )`.execute(db)
  await sql`create unique index location_live_key on location (org_id, external_key) where deleted_at is null`.execute(
    db,
  )
  await sql`create index location_key_number on location (org_id, key_number desc) where deleted_at is null and key_number is not null`.execute(
    db,
  )
  await sql`create index location_children on location (org_id, parent_id)`.execute(db)
  await sql`create index location_by_external_key on location (org_id, external_key, id)`.execute(db)
  await sql`create index location_by_name on location (org_id, name, id)`.execute(db)
  await sql`create index location_by_created_at on location (org_id, created_at, id)`.execute(db)
  await sql`create index location_by_updated_at on location (org_id, updated_at, id)`.execute(db)
  await sql`create index location_search on location using gin (search_text gin_trgm_ops)`.execute(db)
}

import { createMintedIds, createRevisions, idShares } from '@whereabouts/db/minted-ids'
import { createOutbox } from '@whereabouts/db/outbox/outbox'
import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createMintedIds(db, idShares.keys)
  await createRevisions(db)
  await createOutbox(db)
  await createPeople(db)
  await createApiKeys(db)
  await createRefreshTokens(db)
  await createSigningKeys(db)
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table org (
      id bigint primary key default mint_id(),
      name text not null constraint org_name_length check (char_length(name) between 1 and 255),
      revision bigint not null default nextval('revision_seq'),
      subscription_ends_at timestamptz,
      created_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  // A user belongs to organizations through memberships, so its key cannot start with one. email_key is the address
  // in the form in which two addresses are compared; the service makes it, since lower() depends on the collation.
  await sql`
    create table app_user (
      id bigint primary key default mint_id(),
      name text not null,
      email text not null,
      email_key text not null constraint app_user_email_taken unique,
      password_hash bytea not null,
      password_salt bytea not null,
      password_memory_kib integer not null,
      password_passes integer not null,
      password_parallelism integer not null,
      created_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create table membership (
      org_id bigint not null references org (id),
      user_id bigint not null references app_user (id),
      role text not null constraint membership_role check (role in ('admin', 'member')),
      created_at timestamptz not null default clock_timestamp(),
      primary key (org_id, user_id)
    )`.execute(db)
  await sql`create index membership_user on membership (user_id)`.execute(db)
}

async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_key (
      org_id bigint not null references org (id),
      id bigint not null default mint_id() constraint api_key_id unique,
      jti uuid not null default gen_random_uuid() constraint api_key_jti unique,
      name text not null constraint api_key_name_length check (char_length(name) between 1 and 255),
      scopes text[] not null constraint api_key_has_scopes check (cardinality(scopes) > 0),
      secret_hash bytea not null constraint api_key_secret_hash_length check (octet_length(secret_hash) = 32),
      rate_limit_per_minute integer check (rate_limit_per_minute > 0),
      revision bigint not null default nextval('revision_seq'),
      created_by bigint references app_user (id),
      created_by_key_id bigint,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (org_id, id),
      foreign key (org_id, created_by_key_id) references api_key (org_id, id)
    )`.execute(db)
  await sql`create index api_key_list on api_key (org_id, created_at desc, id desc) where revoked_at is null`.execute(
    db,
  )
  await sql`create index api_key_created_by on api_key (created_by)`.execute(db)
  await sql`create index api_key_created_by_key on api_key (org_id, created_by_key_id)`.execute(db)
  // Written with a revocation, worked off by whichever replica comes first: see disconnects/disconnects.loop.ts.
  await sql`
    create table pending_disconnect (
      jti uuid primary key,
      created_at timestamptz not null default clock_timestamp(),
      next_at timestamptz not null default clock_timestamp()
    )`.execute(db)
}

async function createRefreshTokens(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table token_chain (
      org_id bigint not null references org (id),
      id uuid not null default gen_random_uuid(),
      key_id bigint,
      user_id bigint,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      primary key (org_id, id),
      foreign key (org_id, key_id) references api_key (org_id, id),
      foreign key (org_id, user_id) references membership (org_id, user_id) on delete cascade,
      constraint token_chain_has_one_owner check (num_nonnulls(key_id, user_id) = 1)
    )`.execute(db)
  await sql`create index token_chain_key on token_chain (org_id, key_id)`.execute(db)
  await sql`create index token_chain_user on token_chain (org_id, user_id)`.execute(db)
  await sql`create index token_chain_expiry on token_chain (expires_at)`.execute(db)
  // A refresh token comes without its organization: it is looked up by its hash alone.
  await sql`
    create table refresh_token (
      hash bytea primary key constraint refresh_token_hash_length check (octet_length(hash) = 32),
      org_id bigint not null,
      chain_id uuid not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      spent_at timestamptz,
      foreign key (org_id, chain_id) references token_chain (org_id, id) on delete cascade
    )`.execute(db)
  await sql`create index refresh_token_chain on refresh_token (org_id, chain_id)`.execute(db)
  await sql`create index refresh_token_expiry on refresh_token (expires_at)`.execute(db)
}

async function createSigningKeys(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table signing_key (
      kid text primary key,
      state text not null constraint signing_key_state check (state in ('next', 'active', 'retired')),
      public_key text not null,
      private_key bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      activated_at timestamptz,
      retired_at timestamptz
    )`.execute(db)
  await sql`create unique index signing_key_one_per_state on signing_key (state) where state in ('next', 'active')`.execute(
    db,
  )
}

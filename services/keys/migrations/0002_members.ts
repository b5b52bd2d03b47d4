import { sql, type Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addRevisions(db)
  await publishMembers(db)
  await createInvitations(db)
}

/** The default is evaluated for each row, so every membership there is gets a revision of its own. */
async function addRevisions(db: Kysely<unknown>): Promise<void> {
  await sql`alter table membership add column revision bigint not null default nextval('revision_seq')`.execute(
    db,
  )
}

/** The state of members is new on the stream: without these rows each gateway would ask for them one by one, for ever. */
async function publishMembers(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into outbox (subject, msg_id, keep, payload, headers)
    select 'keys.member.' || org_id || '.' || user_id, gen_random_uuid(), 'last',
           jsonb_build_object('org_id', org_id, 'user_id', user_id, 'revision', revision, 'role', role,
                              'deleted_at', null),
           '{}'
    from membership`.execute(db)
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  // An invitation falls with the membership of its author: who was removed must not have left a way back in.
  await sql`
    create table invitation (
      org_id bigint not null references org (id),
      id bigint not null default mint_id() constraint invitation_id unique,
      email text not null,
      email_key text not null,
      role text not null constraint invitation_role check (role in ('admin', 'member')),
      token_hash bytea not null constraint invitation_token_hash unique
        constraint invitation_token_hash_length check (octet_length(token_hash) = 32),
      created_by bigint not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      primary key (org_id, id),
      constraint invitation_one_per_email unique (org_id, email_key),
      foreign key (org_id, created_by) references membership (org_id, user_id) on delete cascade
    )`.execute(db)
  await sql`create index invitation_created_by on invitation (org_id, created_by)`.execute(db)
  await sql`create index invitation_expiry on invitation (expires_at)`.execute(db)
}

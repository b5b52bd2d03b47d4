import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Links with which a device gets its settings once (D16.1). A used link is deleted; its key remains. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The link ends with the membership of its maker, who may otherwise get a key after the removal.
  await sql`
    create table provisioning_link (
      org_id bigint not null references org (id),
      id bigint not null default mint_id() constraint provisioning_link_id unique,
      reader_key text not null,
      format text not null,
      token_hash bytea not null constraint provisioning_link_token_hash unique
        constraint provisioning_link_token_hash_length check (octet_length(token_hash) = 32),
      created_by bigint not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      primary key (org_id, id),
      foreign key (org_id, created_by) references membership (org_id, user_id) on delete cascade
    )`.execute(db)
  await sql`create index provisioning_link_created_by on provisioning_link (org_id, created_by)`.execute(db)
  await sql`create index provisioning_link_expiry on provisioning_link (expires_at)`.execute(db)
  await openToRoles(db, {
    provisioning_link: {
      organization: 'org_id',
      tenant: 'select, insert, delete',
      worker: 'select, delete, update (expires_at)',
    },
  })
}

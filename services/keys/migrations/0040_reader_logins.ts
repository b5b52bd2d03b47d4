import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const contracts =
  'the checks and the unique number are of new columns, which the release before does not write'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The broker account R0000, R0001, … of the organization's readers; given at their first login over NATS, for good.
  await sql`
    alter table org add column reader_account integer constraint org_reader_account unique
      constraint org_reader_account_positive check (reader_account >= 0)`.execute(db)
  // The only reader a key may publish for; none for any.
  await sql`
    alter table api_key add column reader_key text
      constraint api_key_reader_key check (reader_key ~ '^[A-Za-z0-9-]{1,64}$')`.execute(db)
  // Two readers with one MQTT client id end each other's connections, so an id belongs to one organization at a time.
  await sql`
    create table mqtt_client (
      client_id text primary key constraint mqtt_client_id_length check (length(client_id) between 1 and 256),
      org_id bigint not null references org (id),
      used_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`create index mqtt_client_org_used on mqtt_client (org_id, used_at)`.execute(db)
  await sql`create index mqtt_client_used on mqtt_client (used_at)`.execute(db)
  await openToRoles(db, {
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (revision)',
      worker: 'select, insert, update (revision, reader_account)',
    },
    mqtt_client: { organization: 'org_id', worker: 'select, insert, update, delete' },
  })
}

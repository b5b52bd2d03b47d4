import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** When a device last logged in over NATS or MQTT with the key, or was seen to send (ADR 109). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key add column broker_used_at timestamptz`.execute(db)
  await openToRoles(db, {
    api_key: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, update (last_used_at, first_message_at, broker_used_at)',
    },
  })
}

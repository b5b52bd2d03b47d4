import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * The secret before the last rotation and its end (D13.6), and when a webhook was last deleted. Every column may be left
 * out by the release before this one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook
      add column if not exists previous_ciphertext bytea,
      add column if not exists previous_key_id text,
      add column if not exists previous_until timestamptz`.execute(db)
  await sql`alter table delivery_counter add column if not exists webhook_deleted_at timestamptz`.execute(db)
  await openToRoles(db, {
    webhook: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker:
        'select, update (secret_ciphertext, secret_key_id, previous_ciphertext, previous_key_id, previous_until)',
    },
  })
}

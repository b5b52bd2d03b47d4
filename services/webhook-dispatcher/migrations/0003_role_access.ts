import { closeToRoles, openToRoles } from '@whereabouts/db/tenant/role-access'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * What requests and deliveries may do, table by table (ADR 38). Deliveries of many organizations are looked up and logged
 * together (ADR 28).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await closeToRoles(db)
  await openToRoles(db, {
    webhook: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker: 'select, update (secret_ciphertext, secret_key_id)',
    },
    delivery_counter: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, insert, update',
    },
    delivery_attempt: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker: 'select, insert, update',
    },
  })
}

import { createOutbox } from '@whereabouts/db/outbox/outbox'
import { openToRoles } from '@whereabouts/db/tenant/role-access'
import type { Kysely } from 'kysely'

/** What changes of webhooks tell the audit (ADR 125). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutbox(db)
  await openToRoles(db, { outbox: { tenant: 'insert', worker: 'select, insert, delete' } })
}

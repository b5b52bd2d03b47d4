import { closeToRoles, openToRoles } from '@whereabouts/db/tenant/role-access'
import type { Kysely } from 'kysely'

export const inTransaction = false

/** The rights of requests and loops, per table (ADR 38). The last release needs no other rights as the tenant. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await closeToRoles(db)
  const things = { organization: 'org_id', tenant: 'select, insert, update' }
  const parts = { organization: 'org_id', tenant: 'select, insert, delete' }
  await openToRoles(db, {
    location: things,
    asset: things,
    tag: things,
    own_location: { tenant: 'select' },
    own_asset: { tenant: 'select' },
    own_tag: { tenant: 'select' },
    import: { organization: 'org_id', tenant: 'select, insert, update, delete', worker: 'select, update' },
    import_line: parts,
    import_row: parts,
    import_fact: { ...parts, tenant: 'select, insert, update, delete' },
    revision_seq: { tenant: 'usage' },
    outbox: { tenant: 'insert', worker: 'select, delete' },
  })
}

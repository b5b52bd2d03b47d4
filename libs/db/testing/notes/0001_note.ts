import { sql, type Kysely } from 'kysely'
import { openToRoles } from '../../src/tenant/role-access.ts'

/** A minimal table that belongs to organizations, and one that belongs to none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table note (org_id bigint not null, text text not null)`.execute(db)
  await sql`create table secret (text text not null)`.execute(db)
  await openToRoles(db, {
    note: {
      organization: 'org_id',
      tenant: 'select, insert, update, delete',
      worker: 'select',
    },
    secret: { tenant: 'insert' },
  })
}

import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Days of history that an organization keeps, by type of asset, where that differs from the installation's (ADR 118). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table org add column retention_days jsonb not null default '{}'`.execute(db)
  await openToRoles(db, {
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (name, retention_days, revision)',
      worker: 'select, insert, update (revision, reader_account, reader_account_used_at)',
    },
  })
}

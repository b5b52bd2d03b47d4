import { closeToRoles, openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

/**
 * What requests of one organization and what concerns many may do, table by table (ADR 38). The worker also looks up who
 * signs in: by an e-mail, a client id or a token, before any organization is known. The release before this one goes on
 * as the owner of the tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await closeToRoles(db)
  await openToRoles(db, {
    // The tenant changes nothing there; a lock of the row needs the right to update a column.
    org: {
      ownRows: sql`id = current_setting('whereabouts.org_id')::bigint`,
      tenant: 'select, update (revision)',
      worker: 'select, insert, update (revision)',
    },
    membership: {
      organization: 'org_id',
      tenant: 'select, update, delete',
      worker: 'select, insert, update (revision)',
    },
    // Those who are members of the organization, and never a password.
    app_user: {
      ownRows: sql`exists (select from membership m where m.user_id = app_user.id)`,
      tenant: 'select (id, name, email, email_key)',
      worker: 'select, insert',
    },
    invitation: {
      organization: 'org_id',
      tenant: 'select, insert, delete',
      worker: 'select, delete, update (expires_at)',
    },
    api_key: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, update (last_used_at)',
    },
    token_chain: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, insert, update, delete',
    },
    refresh_token: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, insert, update, delete',
    },
    signing_key: { worker: 'select, insert, update, delete' },
    pending_disconnect: { tenant: 'insert', worker: 'select, update, delete' },
    revision_seq: { tenant: 'usage', worker: 'usage' },
    outbox: { tenant: 'insert', worker: 'select, insert, delete' },
  })
}

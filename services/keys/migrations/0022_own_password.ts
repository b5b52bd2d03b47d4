import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/** Users change their password. Who asks is known, an organization is not needed: the worker does it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await openToRoles(db, {
    app_user: {
      ownRows: sql`exists (select from membership m where m.user_id = app_user.id)`,
      tenant: 'select (id, name, email, email_key)',
      worker:
        'select, insert, update (password_hash, password_salt, password_memory_kib, password_passes, password_parallelism)',
    },
  })
}

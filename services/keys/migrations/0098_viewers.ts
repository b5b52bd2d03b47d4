import { sql, type Kysely } from 'kysely'

export const contracts = 'a role may also be viewer, which the release before never writes'

/** Members and invitations may have the role `viewer`, which only reads (ADR 123). The release before never writes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['membership', 'invitation']) {
    const constraint = sql.id(`${table}_role`)
    await sql`
      alter table ${sql.table(table)} drop constraint ${constraint},
        add constraint ${constraint} check (role in ('admin', 'member', 'viewer'))`.execute(db)
  }
}

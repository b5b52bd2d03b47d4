import { sql, type Kysely, type RawBuilder } from 'kysely'
import { roleName, type ServiceRole } from './service-roles.ts'
import { ORG_SETTING } from './tenant-database.ts'

/** Rights of the two roles of a service on one table, view or sequence. */
export type Access = {
  /**
   * The column with the organization of a row. The tenant then sees and writes only rows of its own organization, the
   * worker those of all. Without it there is no row-level security: for tables that belong to no organization.
   */
  organization?: string
  /** Instead of a column: the condition under which the tenant may access a row. */
  ownRows?: RawBuilder<unknown>
  /** Privileges as in `grant`: `select, insert`. None if left out. */
  tenant?: string
  worker?: string
}

/**
 * For migrations, as the owner of the schema: gives the two roles exactly these rights on each object and revokes all
 * others. A table that no migration names is closed to both roles. Uses one transaction per table, so that a
 * statement of the service waits for one table at most; if the tables are in use, the migration must export
 * `inTransaction = false`. Safe to repeat.
 */
export async function openToRoles(
  db: Kysely<unknown>,
  objects: Readonly<Record<string, Access>>,
): Promise<void> {
  const owner = await requireRoles(db)
  for (const [name, access] of Object.entries(objects)) {
    const work = async (tx: Kysely<unknown>) => {
      await grant(tx, name, owner, access)
      const own = ownRowsOf(access)
      if (own) await protect(tx, name, owner, own)
    }
    await (db.isTransaction ? work(db) : db.transaction().execute(work))
  }
}

/** True for rows of the session's organization. If the session has none, the statement fails. */
const isOwn = (column: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} = ${sql.raw(`current_setting('${ORG_SETTING}')`)}::bigint`

const ownRowsOf = ({ organization, ownRows }: Access): RawBuilder<unknown> | undefined =>
  organization === undefined ? ownRows : isOwn(organization)

async function protect(
  tx: Kysely<unknown>,
  table: string,
  owner: string,
  own: RawBuilder<unknown>,
): Promise<void> {
  const [on, tenant, worker] = [sql.table(table), roleOf(owner, 'tenant'), roleOf(owner, 'worker')]
  await sql`alter table ${on} enable row level security`.execute(tx)
  await sql`drop policy if exists own_organization on ${on}`.execute(tx)
  await sql`drop policy if exists every_organization on ${on}`.execute(tx)
  await sql`create policy own_organization on ${on} to ${tenant} using (${own})`.execute(tx)
  await sql`create policy every_organization on ${on} to ${worker} using (true)`.execute(tx)
}

async function grant(tx: Kysely<unknown>, name: string, owner: string, access: Access): Promise<void> {
  const on = sql.table(name)
  for (const role of ['tenant', 'worker'] as const) {
    await sql`revoke all on ${on} from ${roleOf(owner, role)}`.execute(tx)
    const privileges = access[role]
    if (privileges !== undefined)
      await sql`grant ${sql.raw(privileges)} on ${on} to ${roleOf(owner, role)}`.execute(tx)
  }
}

const roleOf = (owner: string, role: ServiceRole) => sql.id(roleName(owner, role))

/** Throws if the roles are missing or cannot log in. Gives both access to the schema. Returns the owner's name. */
async function requireRoles(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ owner: string; schema: string; ready: string[] }>`
    select current_user as owner, current_schema() as schema,
      array(select rolname::text from pg_roles where rolcanlogin
        and rolname in (current_user || '_tenant', current_user || '_worker')) as ready`.execute(db)
  const [found] = rows
  if (found?.ready.length !== 2)
    throw new Error(
      `roles ${found?.owner}_tenant and ${found?.owner}_worker must exist and be able to log in. Run deploy/database/roles.sql, then migrate again.`,
    )
  const { owner, schema } = found
  for (const role of ['tenant', 'worker'] as const)
    await sql`grant usage on schema ${sql.id(schema)} to ${roleOf(owner, role)}`.execute(db)
  return owner
}

/**
 * Closes the tables of a service that only the owner needs. Ids are minted with the owner's rights, so that no other
 * role can read their key. Tables of later migrations are closed until these open them.
 */
export async function closeToRoles(db: Kysely<unknown>): Promise<void> {
  const owner = await requireRoles(db)
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const schema = sql.id(rows[0]?.schema ?? '')
  // Temporary tables are searched last, so that nobody can replace the key by a temporary table.
  await sql`alter function mint_id() security definer set search_path = ${schema}, pg_temp`.execute(db)
  const tenant = roleOf(owner, 'tenant')
  for (const kind of ['tables', 'sequences'])
    await sql`alter default privileges in schema ${schema} revoke all on ${sql.raw(kind)} from ${tenant}`.execute(
      db,
    )
  await openToRoles(db, { id_key: {}, id_sequence: {}, kysely_migration: {}, kysely_migration_lock: {} })
}

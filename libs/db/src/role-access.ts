import { sql, type Kysely, type RawBuilder } from 'kysely'
import { roleName, type ServiceRole } from './service-roles.ts'
import { ORG_SETTING } from './tenant-database.ts'

/** What the two roles of a service may do with one table, view or sequence. */
export type Access = {
  /**
   * The column that names the organization of a row. The tenant then sees and writes rows of its own organization, and
   * the worker those of all. Without it there is no row-level security: for what belongs to no organization.
   */
  organization?: string
  /** In place of a column, the condition under which the tenant may have a row. */
  ownRows?: RawBuilder<unknown>
  /** Privileges as `grant` takes them: `select, insert`. None when absent. */
  tenant?: string
  worker?: string
}

/**
 * Called by a migration, as the owner of the schema: gives the two roles exactly these rights on each object, and takes
 * every other right on it away. A table that no migration names is closed to both. One transaction for each table, so
 * that no statement of the service waits for more than one of them; the migration says `inTransaction = false` when the
 * tables are in use. Safe to repeat.
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

/** The rows of the session's organization. Without any organization a statement fails. */
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

/** Throws when the roles are missing, or cannot log in yet. Lets both into the schema. Returns the owner's name. */
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
 * For the tables of every service that no role but the owner needs: ids are minted with the owner's rights, so that
 * nobody else reads their key, and what later migrations add is closed until they open it.
 */
export async function closeToRoles(db: Kysely<unknown>): Promise<void> {
  const owner = await requireRoles(db)
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const schema = sql.id(rows[0]?.schema ?? '')
  // Temporary tables are searched last: nobody can put one in the place of the key.
  await sql`alter function mint_id() security definer set search_path = ${schema}, pg_temp`.execute(db)
  const tenant = roleOf(owner, 'tenant')
  for (const kind of ['tables', 'sequences'])
    await sql`alter default privileges in schema ${schema} revoke all on ${sql.raw(kind)} from ${tenant}`.execute(
      db,
    )
  await openToRoles(db, { id_key: {}, id_sequence: {}, kysely_migration: {}, kysely_migration_lock: {} })
}

import type { Client } from 'pg'

/** The two roles that processes of a service log in as. The schema has a third role as owner. */
export const servingRoles = (owner: string) => [`${owner}_tenant`, `${owner}_worker`]

type Table = { name: string; is_protected: boolean; organized: string[] }

/** Tables and partitions with an organization, and the roles that have a policy on each. */
const TABLES = `
  select c.relname as name, c.relrowsecurity as is_protected,
    array(select r.rolname::text from pg_policy p join pg_roles r on r.oid = any(p.polroles) where p.polrelid = c.oid) as organized
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
  where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') order by 1`

/** Policies for all roles: they would also apply to roles that are created later. */
const POLICIES_OF_ALL = `
  select c.relname as name from pg_policy p join pg_class c on c.oid = p.polrelid
  where c.relnamespace = $1::regnamespace and 0 = any(p.polroles)`

/** Tables that a tenant must never see, with the privileges that each role must not have. */
const CLOSED = [
  { table: 'kysely_migration', privileges: ['select', 'insert', 'update', 'delete'], roles: ['tenant', 'worker'] },
  { table: 'kysely_migration_lock', privileges: ['select', 'insert', 'update', 'delete'], roles: ['tenant', 'worker'] },
  { table: 'id_key', privileges: ['select', 'insert', 'update', 'delete'], roles: ['tenant', 'worker'] },
  { table: 'outbox', privileges: ['select', 'update', 'delete'], roles: ['tenant'] },
] // oxfmt-ignore

/**
 * Gaps in the isolation of organizations in the schema of this owner, one line each, as found in the live database.
 * `client` is logged in as an administrator.
 */
export async function wallProblems(client: Client, owner: string): Promise<string[]> {
  const found = [
    await openTables(client, owner),
    await powerfulRoles(client, owner),
    await ownedObjects(client, owner),
    await openedTables(client, owner),
  ]
  return found.flat().map((problem) => `${owner}: ${problem}`)
}

async function openTables(client: Client, owner: string): Promise<string[]> {
  const { rows } = await client.query<Table>(TABLES, [owner])
  const shared = await client.query<{ name: string }>(POLICIES_OF_ALL, [owner])
  const unprotected = rows
    .filter((table) => !table.is_protected)
    .map(({ name }) => `${name} has no row security`)
  const missing = rows.flatMap(({ name, organized }) =>
    servingRoles(owner)
      .filter((role) => !organized.includes(role))
      .map((role) => `${name} has no policy for ${role}`),
  )
  return [
    ...unprotected,
    ...missing,
    ...shared.rows.map(({ name }) => `a policy of ${name} is for all roles`),
  ]
}

async function powerfulRoles(client: Client, owner: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; memberships: string[]; is_powerful: boolean }>(
    `select r.rolname as name,
       array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid) as memberships,
       r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication as is_powerful
     from pg_roles r where r.rolname = any($1)`,
    [servingRoles(owner)],
  )
  const missing = servingRoles(owner).filter((role) => !rows.some(({ name }) => name === role))
  return [
    ...missing.map((role) => `${role} is missing`),
    ...rows.filter((role) => role.is_powerful).map(({ name }) => `${name} has rights beyond its tables`),
    ...rows.flatMap(({ name, memberships }) => memberships.map((other) => `${name} can become ${other}`)),
  ]
}

/** The owner of a table bypasses its row security, in every schema. */
async function ownedObjects(client: Client, owner: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; role: string }>(
    `select c.oid::regclass::text as name, r.rolname as role from pg_class c join pg_roles r on r.oid = c.relowner
     where r.rolname = any($1)`,
    [servingRoles(owner)],
  )
  return rows.map(({ name, role }) => `${role} owns ${name}`)
}

async function openedTables(client: Client, owner: string): Promise<string[]> {
  const asked = CLOSED.flatMap(({ table, privileges, roles }) =>
    roles.flatMap((role) => privileges.map((privilege) => ({ table, role: `${owner}_${role}`, privilege }))),
  )
  const { rows } = await client.query<{ role: string; privilege: string; name: string }>(
    `select role, privilege, name
     from unnest($2::text[], $3::text[], $4::text[]) as asked (name, role, privilege)
     join pg_class c on c.relname = name and c.relnamespace = $1::regnamespace
     where has_table_privilege(role, c.oid, privilege)
       or privilege <> 'delete' and has_any_column_privilege(role, c.oid, privilege)`,
    [owner, asked.map((a) => a.table), asked.map((a) => a.role), asked.map((a) => a.privilege)],
  )
  return rows.map(({ role, privilege, name }) => `${role} may ${privilege} ${name}`)
}

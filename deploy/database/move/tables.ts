import { escapeIdentifier, type Client } from 'pg'
import { ask, quoted, type Sides, type Table } from './sides.ts'

/** Tables with rows of their own, which a server must remember after a crash. */
const TABLES = `
  select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1) and c.relkind = 'r' and c.relpersistence = 'p' order by 1, 2`

export const tablesOf = (client: Client, schemas: readonly string[]): Promise<Table[]> =>
  ask<Table>(client, TABLES, [schemas])

/** All columns of a schema with their types, but for partitions, which have those of their table. */
export async function describeColumns(client: Client, schema: string): Promise<string> {
  const text = `select string_agg(format('%s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)), ', '
      order by c.relname, a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and not c.relispartition`
  return (await ask<{ columns: string | null }>(client, text, [schema]))[0]?.columns ?? ''
}

type Policy = { name: string; command: string; roles: string; using: string | null; check: string | null }
type Partition = Table & {
  parent: string
  owner: string
  bounds: string
  is_protected: boolean
  policies: Policy[]
  grants: { role: string; privilege: string }[]
}

const PARTITIONS = `
  select n.nspname as schema, c.relname as name, p.relname as parent, pg_get_userbyid(c.relowner) as owner,
    pg_get_expr(c.relpartbound, c.oid) as bounds, c.relrowsecurity as is_protected,
    array(select jsonb_build_object('name', policyname, 'command', cmd, 'using', qual, 'check', with_check,
        'roles', (select string_agg(quote_ident(role), ', ') from unnest(roles) as role))
      from pg_policies where schemaname = n.nspname and tablename = c.relname) as policies,
    array(select jsonb_build_object('role', quote_ident(pg_get_userbyid(grantee)), 'privilege', privilege_type)
      from aclexplode(c.relacl) where grantee <> c.relowner and grantee <> 0) as grants
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
  where n.nspname = any($1) and c.relkind = 'r' and c.relispartition and not i.inhdetachpending order by 1, 2`

/**
 * Makes the partitions that only the old server has: they come and go with the days, and changes of tables are not replicated.
 * Returns how many.
 */
export async function copyPartitions({ from, to, schemas }: Sides): Promise<number> {
  const there = new Set((await tablesOf(to, schemas)).map(quoted))
  const missing = (await ask<Partition>(from, PARTITIONS, [schemas])).filter(
    (table) => !there.has(quoted(table)),
  )
  for (const partition of missing) {
    const name = quoted(partition)
    const parent = quoted({ schema: partition.schema, name: partition.parent })
    const statements = [
      'begin',
      `set local role ${escapeIdentifier(partition.owner)}`,
      `create table ${name} partition of ${parent} ${partition.bounds}`,
      ...(partition.is_protected ? [`alter table ${name} enable row level security`] : []),
      ...partition.policies.map((policy) => createPolicy(name, policy)),
      ...partition.grants.map(({ role, privilege }) => `grant ${privilege} on ${name} to ${role}`),
      'commit',
    ]
    await to.query(statements.join(';\n'))
  }
  return missing.length
}

const createPolicy = (table: string, { name, command, roles, using, check }: Policy) =>
  [
    `create policy ${escapeIdentifier(name)} on ${table} for ${command} to ${roles}`,
    ...(using === null ? [] : [`using (${using})`]),
    ...(check === null ? [] : [`with check (${check})`]),
  ].join(' ')

/** The first of the tables with rows of organizations that is not empty. */
export async function findRows(client: Client, schemas: readonly string[]): Promise<string | undefined> {
  const text = `
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
    where n.nspname = any($1) and c.relkind = 'r' and c.relpersistence = 'p'`
  for (const table of await ask<Table>(client, text, [schemas]))
    if ((await ask(client, `select 1 from ${quoted(table)} where org_id > 0 limit 1`)).length > 0)
      return quoted(table)
  return undefined
}

/** Empties all tables: migrations have put some rows there, which come from the old server. */
export async function emptyTables(client: Client, schemas: readonly string[]): Promise<void> {
  const tables = await tablesOf(client, schemas)
  if (tables.length === 0) return
  const truncate = `truncate ${tables.map(quoted).join(', ')} cascade`
  // Without triggers, which count rows in other tables.
  await client.query(['begin', 'set local session_replication_role = replica', truncate, 'commit'].join(';'))
}

/** Statistics are not replicated, and without them the first plans are bad. */
export async function analyzeTables(client: Client, schemas: readonly string[]): Promise<void> {
  for (const table of await tablesOf(client, schemas)) await client.query(`analyze ${quoted(table)}`)
}

/** Numbers that were taken from sequences are not replicated. */
export async function copySequences({ from, to, schemas }: Sides): Promise<void> {
  const text = `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
    from pg_sequences where schemaname = any($1) and last_value is not null`
  for (const { name, value } of await ask<{ name: string; value: string }>(from, text, [schemas]))
    await to.query(
      `select setval($1::regclass, greatest($2::bigint, (select last_value from ${name})), true)`,
      [name, value],
    ) // never back, if services are there already
}

/** The tables that differ, of those that both servers have. Reads all rows: call it while no service writes. */
export async function compareTables({ from, to, schemas }: Sides): Promise<string[]> {
  const differing: string[] = []
  for (const table of await tablesOf(from, schemas)) {
    const text = `set timezone = 'UTC'; select count(*) as rows, sum(hashtextextended(t::text, 0)) as sum from ${quoted(table)} t`
    const [before, after] = await Promise.all([from, to].map((side) => sumOf(side, text)))
    if (before !== after) differing.push(quoted(table))
  }
  return differing
}

async function sumOf(client: Client, text: string): Promise<string> {
  const results = (await client.query(text)) as unknown as { rows: unknown[] }[]
  return JSON.stringify(results.at(-1)?.rows)
}

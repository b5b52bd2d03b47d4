import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import type { DatabaseRole } from '../installation/secrets.ts'

export const DATABASE = 'whereabouts'
const ROLES_SQL = readFileSync(join(import.meta.dirname, 'roles.sql'), 'utf8')
const SET_PASSWORDS = `select set_config('whereabouts.' || role || '_password', password, true)
  from unnest($1::text[], $2::text[]) as given (role, password)`
const DUPLICATE_DATABASE = '42P04'
const UNIQUE_VIOLATION = '23505'
const WRONG_PASSWORD = '28P01'

/**
 * Creates the missing database, roles and schemas, and sets the passwords. `adminUrl` names an administrator and any
 * existing database. Safe to repeat and to run twice at once. Returns the roles that had another password before.
 */
export async function createRoles(
  adminUrl: string,
  passwords: Record<DatabaseRole, string>,
  database = DATABASE,
): Promise<DatabaseRole[]> {
  await withClient(adminUrl, (client) => createDatabase(client, database))
  const changed = await rolesRefused(databaseUrl(adminUrl, database), passwords)
  await withClient(databaseUrl(adminUrl, database), async (client) => {
    await client.query('begin')
    // As bound parameters: a failing statement is logged by the server, with any password in its text.
    await client.query(SET_PASSWORDS, [Object.keys(passwords), Object.values(passwords)])
    await client.query(ROLES_SQL)
    await client.query('commit')
  })
  return changed
}

/** The existing roles that cannot log in with their password. */
async function rolesRefused(url: string, passwords: Record<DatabaseRole, string>): Promise<DatabaseRole[]> {
  const existing = await withClient(url, async (client) => {
    const text = 'select rolname as name from pg_roles where rolname = any($1)'
    const { rows } = await client.query<{ name: DatabaseRole }>(text, [Object.keys(passwords)])
    return rows.map(({ name }) => name)
  })
  const { pathname } = new URL(url)
  const isRefused = async (name: DatabaseRole) => {
    const address = databaseUrl(url, pathname.slice(1), { name, password: passwords[name] })
    const refusal = await withClient(address, async () => undefined).catch((error: unknown) => error)
    return refusal instanceof DatabaseError && refusal.code === WRONG_PASSWORD
  }
  const refused = await Promise.all(existing.map(async (name) => ((await isRefused(name)) ? [name] : [])))
  return refused.flat()
}

/**
 * The address of the administrator on each server of `urls`. On several servers it has the same name, password and database, and
 * host and encryption are those of the roles there.
 */
export function administrators(adminUrl: string, urls: readonly string[]): string[] {
  const servers = new Map(urls.map((url) => [new URL(url).host, url]))
  if (servers.size < 2) return [adminUrl]
  const { username, password, pathname } = new URL(adminUrl)
  return Array.from(
    servers.values(),
    (url) => Object.assign(new URL(url), { username, password, pathname }).href,
  )
}

/** The address of another database on the same server; with `role`, for that role. */
export function databaseUrl(
  url: string,
  database: string,
  role?: { name: string; password: string },
): string {
  const result = new URL(url)
  result.pathname = `/${database}`
  if (role) Object.assign(result, { username: role.name, password: role.password })
  return result.href
}

/** The builtin locale sorts by code point on every system. `create database` has no "if not exists". */
async function createDatabase(client: Client, database: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
  if (rowCount) return
  const locale = "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'"
  const name = client.escapeIdentifier(database)
  try {
    await client.query(`create database ${name} template template0 encoding 'UTF8' ${locale}`)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    // Another deployment created it meanwhile: either its check or the unique index reports that.
    if (error.code !== DUPLICATE_DATABASE && error.code !== UNIQUE_VIOLATION) throw error
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

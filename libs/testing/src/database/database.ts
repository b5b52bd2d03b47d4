import { createHash, randomBytes } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, type Database } from '@whereabouts/db/connect/database'
import { migrate } from '@whereabouts/db/schema/migrate'
import { roleName, urlAs } from '@whereabouts/db/tenant/service-roles'
import pg from 'pg'

/** Superuser of the test cluster; `npm test` starts one and sets the variable. */
const ADMIN_URL = 'WB_TEST_DATABASE_URL'
const PASSWORD = 'test'

export type ServiceDatabase<T> = Database<T> & {
  /** For a second pool on the same database, like that of another replica. */
  url: string
  /** A pool of the role that works across organizations. */
  worker: Database<T>
  /** Closes the pools and drops the database. */
  drop(): Promise<void>
}

/**
 * A new database with the schema of a service. It is cloned from a template, which is migrated again only when the
 * migrations change. The role sees only that schema, as in production.
 */
export async function createServiceDatabase<T>(
  schema: string,
  migrationFolder: string,
): Promise<ServiceDatabase<T>> {
  const template = await ensureTemplate(schema, migrationFolder)
  const name = `test_${schema}_${randomBytes(6).toString('hex')}`
  await asAdmin((admin) =>
    admin.query(`create database ${name} template ${template} owner ${roleOf(schema)}`),
  )
  const url = urlOf(name, schema)
  const database = openDatabase<T>(url, { max: 10 })
  const worker = openDatabase<T>(urlAs('worker', url), { max: 10 })
  const drop = async () => {
    await Promise.all([database.close(), worker.close()])
    await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`))
  }
  return { ...database, url, worker, drop }
}

const roleOf = (schema: string) => `test_${schema}`

async function ensureTemplate(schema: string, folder: string): Promise<string> {
  const template = `template_${schema}_${fingerprint(folder)}`
  await asAdmin(async (admin) => {
    // Test files run in parallel processes. With the lock one of them builds the template and the others wait.
    await admin.query(`select pg_advisory_lock(hashtext('whereabouts test templates'))`)
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [template])
    if (rowCount === 0) await buildTemplate(admin, template, schema, folder)
  })
  return template
}

async function buildTemplate(
  admin: pg.Client,
  template: string,
  schema: string,
  folder: string,
): Promise<void> {
  await createRoles(admin, schema)
  const role = roleOf(schema)
  const building = `${template}_building`
  await admin.query(`drop database if exists ${building} with (force)`)
  await admin.query(`create database ${building} owner ${role}`)
  await asAdmin(async (inside) => {
    await inside.query(`create schema ${schema} authorization ${role}`)
    await inside.query(`create extension if not exists pg_trgm schema ${schema}`)
    await inside.query(`create extension if not exists btree_gin schema ${schema}`)
  }, building)
  const database = openDatabase<unknown>(urlOf(building, schema), { max: 2 })
  try {
    await migrate(database.db, schema, folder)
  } finally {
    await database.close()
  }
  // Renamed last, so that a killed run leaves no half-migrated template with the final name.
  await admin.query(`alter database ${building} rename to ${template}`)
}

/** Creates the owner of the schema and the two other roles, like `deploy/database/roles.sql`. */
async function createRoles(admin: pg.Client, schema: string): Promise<void> {
  const owner = roleOf(schema)
  const helpers = [roleName(owner, 'tenant'), roleName(owner, 'worker')]
  for (const role of [owner, ...helpers]) {
    const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await admin.query(`create role ${role}`)
    await admin.query(`alter role ${role} login password '${PASSWORD}'`)
    await admin.query(`alter role ${role} set search_path = ${schema}`)
  }
  for (const helper of helpers) await admin.query(`grant ${helper} to ${owner} with inherit true, set true`)
}

/** Changes if the migrations or the code that they call in libs/db change. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted())
    hash.update(file).update(readFileSync(join(folder, file)))
  const shared = join(import.meta.dirname, '../../../db/src')
  for (const file of globSync('**/*.ts', { cwd: shared }).toSorted())
    hash.update(readFileSync(join(shared, file)))
  return hash.digest('hex').slice(0, 12)
}

function adminUrl(): URL {
  const url = process.env[ADMIN_URL]
  if (!url)
    throw new Error(
      `${ADMIN_URL} is not set: run the tests with npm test, or set it to the URL of a PostgreSQL superuser`,
    )
  return new URL(url)
}

function urlOf(database: string, schema: string): string {
  const url = adminUrl()
  url.username = roleOf(schema)
  url.password = PASSWORD
  url.pathname = `/${database}`
  return url.href
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>, database?: string): Promise<T> {
  const url = adminUrl()
  if (database !== undefined) url.pathname = `/${database}`
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

export type TestRole = {
  name: string
  /** The address with which the role logs in. */
  url(password: string): string
  setPassword(password: string): Promise<void>
  drop(): Promise<void>
}

/** A role that owns nothing, for tests of logging in. */
export async function createRole(password: string): Promise<TestRole> {
  const name = `test_login_${randomBytes(6).toString('hex')}`
  await asAdmin((admin) => admin.query(`create role ${name} login password '${password}'`))
  return {
    name,
    url: (given) => Object.assign(adminUrl(), { username: name, password: given }).href,
    async setPassword(next) {
      await asAdmin((admin) => admin.query(`alter role ${name} password '${next}'`))
    },
    async drop() {
      await asAdmin((admin) => admin.query(`drop role ${name}`))
    },
  }
}

// A step of a deployment: run it once before the services of a release start.
import { loadEnv } from '@whereabouts/service-kit/service/env'
import { runCommand } from './command.ts'
import { migrateAll } from './database/migrations.ts'
import { administrators, createRoles } from './database/roles.ts'
import type { DatabaseRole } from './installation/secrets.ts'
import { MigrateConfig } from './step-config.ts'

const HELP = `node deploy/migrate.ts    bring the schema of every service up to date; safe to run again

Environment
  GATEWAY_DATABASE_URL, CATALOG_DATABASE_URL, TRACKING_DATABASE_URL, KEYS_DATABASE_URL, WEBHOOKS_DATABASE_URL
      the DATABASE_URL of each service, as its role
  ADMIN_DATABASE_URL
      optional: an administrator of the same server, on any database. With it, the step first creates a missing database,
      missing roles and missing schemas, and gives each role the password of its address above. It names the roles that
      had another password (docs/secrets.md). If the addresses name several servers, it does so on each, and the
      administrator has the same name and password there.
`

async function main(): Promise<string> {
  const config = loadEnv(MigrateConfig, process.env)
  const urls: Record<DatabaseRole, string> = {
    gateway: config.GATEWAY_DATABASE_URL,
    catalog: config.CATALOG_DATABASE_URL,
    tracking: config.TRACKING_DATABASE_URL,
    keys: config.KEYS_DATABASE_URL,
    webhooks: config.WEBHOOKS_DATABASE_URL,
  }
  const { ADMIN_DATABASE_URL: adminUrl } = config
  const changed = adminUrl === undefined ? [] : await createRolesOf(urls, adminUrl)
  const ran = await migrateAll((role) => urls[role])
  const done = [
    ...(changed.length > 0 ? [`set another password for ${changed.join(', ')}`] : []),
    ...(ran.length > 0 ? [`ran ${ran.join(', ')}`] : []),
  ]
  return done.length > 0 ? done.join('; ') : 'nothing to do, every schema is up to date'
}

async function createRolesOf(urls: Record<DatabaseRole, string>, adminUrl: string): Promise<DatabaseRole[]> {
  const passwordOf = (role: DatabaseRole) => decodeURIComponent(new URL(urls[role]).password)
  const databases = new Set(Object.values(urls).map((url) => new URL(url).pathname.slice(1)))
  const [database] = databases
  if (!database || databases.size > 1) {
    throw new Error(
      'with ADMIN_DATABASE_URL, all addresses must name one database; create several with roles.sql',
    )
  }
  const passwords = {
    gateway: passwordOf('gateway'),
    catalog: passwordOf('catalog'),
    tracking: passwordOf('tracking'),
    keys: passwordOf('keys'),
    webhooks: passwordOf('webhooks'),
  }
  const servers = administrators(adminUrl, Object.values(urls))
  const changed = await Promise.all(servers.map((each) => createRoles(each, passwords, database)))
  return [...new Set(changed.flat())]
}

await runCommand('migrate', HELP, main)

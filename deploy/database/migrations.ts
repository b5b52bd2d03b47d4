import { existsSync } from 'node:fs'
import { openDatabase } from '@whereabouts/db/connect/database'
import { migrate } from '@whereabouts/db/schema/migrate'
import { ROLES, SERVICES, type ServiceName, migrationFolder } from '../installation/services.ts'
import type { DatabaseRole } from '../installation/secrets.ts'

type Migration = { service: ServiceName; role: DatabaseRole }

/** The services that own a schema and have migrations for it in this checkout. */
const MIGRATIONS: readonly Migration[] = SERVICES.flatMap((service) => {
  const role = ROLES[service]
  return role && existsSync(migrationFolder(service)) ? [{ service, role }] : []
})

/**
 * Brings every schema up to date, one after the other, because the migrator has one lock per database. `urlOf`
 * returns the address of a role. Returns the migrations that ran, like "catalog 0001_asset".
 */
export async function migrateAll(urlOf: (role: DatabaseRole) => string): Promise<string[]> {
  return MIGRATIONS.reduce<Promise<string[]>>(async (before, migration) => {
    const ran = await before
    return [...ran, ...(await migrateOne(migration, urlOf(migration.role)))]
  }, Promise.resolve([]))
}

async function migrateOne({ service, role }: Migration, url: string): Promise<string[]> {
  const database = openDatabase<unknown>(url, { max: 2, name: 'migrate', statementTimeoutMs: 0 })
  try {
    const ran = await migrate(database.db, role, migrationFolder(service))
    return ran.map((name) => `${service} ${name}`)
  } finally {
    await database.close()
  }
}

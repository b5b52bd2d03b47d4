import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import type { Kysely } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'

/**
 * Runs one service's migrations on its schema and returns the names of those that ran now. Safe to repeat; one
 * migrator at a time per database. A deploy step, never run by a service.
 */
export async function migrate(db: Kysely<unknown>, schema: string, folder: string): Promise<string[]> {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder })
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) {
    const failed = results.find((r) => r.status === 'Error')?.migrationName ?? 'unknown'
    throw new Error(`migration ${failed} of ${schema} failed`, { cause: error })
  }
  return results.map((r) => r.migrationName)
}

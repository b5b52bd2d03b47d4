import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, type Migration, type MigrationInfo } from 'kysely/migration'

/** The exports of a migration file. */
type MigrationFile = Migration & {
  /** False for a migration that builds an index concurrently. It must succeed if it runs again after a failure. */
  inTransaction?: boolean
}

/**
 * Runs the migrations of a service on its schema and returns the names of those that ran now. Safe to repeat. Only one
 * migrator runs per database; others wait. It is a deploy step; services never run it. Uses two connections.
 */
export async function migrate(db: Kysely<unknown>, schema: string, folder: string): Promise<string[]> {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder })
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema })
  return exclusively(db, async () => {
    const pending = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined)
    const ran: string[] = []
    for (const { last, inTransaction } of stepsOf(pending)) {
      const { error, results = [] } = await migrator.migrateTo(last, { disableTransactions: !inTransaction })
      if (error !== undefined) {
        const failed = results.find((r) => r.status === 'Error')?.migrationName ?? 'unknown'
        throw new Error(`migration ${failed} of ${schema} failed`, { cause: error })
      }
      ran.push(...results.map((r) => r.migrationName))
    }
    return ran
  })
}

type Step = { last: string; inTransaction: boolean }

/** Consecutive migrations in a transaction share one step; each other migration is a separate step. */
function stepsOf(pending: readonly MigrationInfo[]): Step[] {
  return pending.reduce<Step[]>((steps, { name, migration }) => {
    const inTransaction = (migration as MigrationFile).inTransaction !== false
    const isJoined = inTransaction && steps.at(-1)?.inTransaction === true
    return [...(isJoined ? steps.slice(0, -1) : steps), { last: name, inTransaction }]
  }, [])
}

const LOCK = sql`hashtextextended('whereabouts migrations', 0)`

/**
 * Kysely has a lock too, but waits for it inside a statement. An index that is built concurrently would wait for that
 * statement, and PostgreSQL would end one of the two as a deadlock. So this lock is polled.
 */
async function exclusively<T>(db: Kysely<unknown>, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (holder) => {
    const isOurs = sql<{ granted: boolean }>`select pg_try_advisory_lock(${LOCK}) as granted`
    while (!(await isOurs.execute(holder)).rows[0]?.granted) await wait(100)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(holder)
    }
  })
}

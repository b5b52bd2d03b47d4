import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { FileMigrationProvider, Migrator, type Migration, type MigrationInfo } from 'kysely/migration'

/** What a migration file exports. */
type MigrationFile = Migration & {
  /** False for a migration that builds an index concurrently, and may therefore be repeated after it broke off. */
  inTransaction?: boolean
}

/**
 * Runs one service's migrations on its schema and returns the names of those that ran now. Safe to repeat; one
 * migrator at a time per database. A deploy step, never run by a service. Takes two connections.
 */
export async function migrate(db: Kysely<unknown>, schema: string, folder: string): Promise<string[]> {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder })
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema })
  return inTurn(db, async () => {
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

/** Neighbours that run in a transaction share it; each other one is a step of its own. */
function stepsOf(pending: readonly MigrationInfo[]): Step[] {
  return pending.reduce<Step[]>((steps, { name, migration }) => {
    const inTransaction = (migration as MigrationFile).inTransaction !== false
    const isJoined = inTransaction && steps.at(-1)?.inTransaction === true
    return [...(isJoined ? steps.slice(0, -1) : steps), { last: name, inTransaction }]
  }, [])
}

const TURN = sql`hashtextextended('whereabouts migrations', 0)`

/**
 * Kysely locks as well, but who waits for its lock waits inside a statement, which an index that is built concurrently
 * would wait for in turn.
 */
async function inTurn<T>(db: Kysely<unknown>, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (holder) => {
    const isOurs = sql<{ granted: boolean }>`select pg_try_advisory_lock(${TURN}) as granted`
    while (!(await isOurs.execute(holder)).rows[0]?.granted) await wait(100)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${TURN})`.execute(holder)
    }
  })
}

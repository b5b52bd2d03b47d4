import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { test as base, expect } from 'vitest'
import { openDatabase } from '../connect/database.ts'
import { migrate } from './migrate.ts'

type Migrations = {
  database: ServiceDatabase<unknown>
  folder: string
  /** Adds a migration; `up` may use `db`, `sql` and `createIndexConcurrently`. */
  write(name: string, up: string, inTransaction?: boolean): void
  run(): Promise<string[]>
}

const CONCURRENT_INDEX = new URL('./concurrent-index.ts', import.meta.url).href
const KYSELY = import.meta.resolve('kysely')

const test = base.extend<{ migrations: Migrations }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
  migrations: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
    const write: Migrations['write'] = (name, up, inTransaction = true) =>
      writeFileSync(
        join(folder, `${name}.ts`),
        `import { sql } from ${JSON.stringify(KYSELY)}
         import { createIndexConcurrently } from ${JSON.stringify(CONCURRENT_INDEX)}
         export const inTransaction = ${inTransaction}
         export async function up(db) { ${up} }`,
      )
    write('0001_things', 'await sql`create table thing (name text)`.execute(db)')
    const database = await createServiceDatabase<unknown>('migrating', folder)
    await use({ database, folder, write, run: () => migrate(database.db, 'migrating', folder) })
    await database.drop()
    rmSync(folder, { recursive: true })
  },
})

const INDEX = "await createIndexConcurrently(db, 'thing_name', 'thing (name)')"
const indexIsValid = async ({ pool }: ServiceDatabase<unknown>) =>
  (await pool.query(`select indisvalid as valid from pg_index where indexrelid = 'thing_name'::regclass`))
    .rows

test('an index is built concurrently, and the migrations around it run in transactions', async ({
  migrations,
}) => {
  const { pool } = migrations.database
  migrations.write('0002_before', "await sql`insert into thing values ('twice'), ('twice')`.execute(db)")
  migrations.write('0003_index', INDEX, false)
  migrations.write('0004_after', "await sql`insert into thing values ('after')`.execute(db)")
  migrations.write('0005_unique', 'await sql`alter table thing add unique (name)`.execute(db)')
  await expect(migrations.run()).rejects.toThrow('migration 0005_unique of migrating failed')
  expect(await indexIsValid(migrations.database)).toEqual([{ valid: true }])
  const { rows } = await pool.query('delete from thing returning name')
  expect(rows).toEqual([{ name: 'twice' }, { name: 'twice' }])
  expect(await migrations.run()).toEqual(['0004_after', '0005_unique'])
  expect(await migrations.run()).toEqual([])
})

test('an index whose build failed is built again', async ({ migrations: { database, ...migrations } }) => {
  await database.pool.query(`insert into thing values ('twice'), ('twice')`)
  await database.pool
    .query('create unique index concurrently thing_name on thing (name)')
    .catch(() => undefined)
  expect(await indexIsValid(database)).toEqual([{ valid: false }])
  migrations.write('0002_index', INDEX, false)
  expect(await migrations.run()).toEqual(['0002_index'])
  expect(await indexIsValid(database)).toEqual([{ valid: true }])
})

// If one waited for the lock inside a statement, the index would wait for it: PostgreSQL would end one of them as a
// deadlock.
test('two deployments at once: one migrates, and the other waits for it', async ({ migrations }) => {
  const { database, folder } = migrations
  migrations.write('0002_slow', 'await sql`select pg_sleep(0.5)`.execute(db)')
  migrations.write('0003_index', INDEX, false)
  const other = openDatabase<unknown>(database.url, { max: 2 })
  const ran = await Promise.all([migrations.run(), migrate(other.db, 'migrating', folder)])
  await other.close()
  expect(ran.toSorted((a, b) => b.length - a.length)).toEqual([['0002_slow', '0003_index'], []])
})

test('after a rollback the older release does not change the newer schema', async ({
  migrations: { database, folder, ...migrations },
}) => {
  migrations.write('0002_newer', 'await sql`alter table thing add column colour text`.execute(db)')
  expect(await migrations.run()).toEqual(['0002_newer'])
  rmSync(join(folder, '0002_newer.ts'))
  expect(await migrations.run()).toEqual([])
  await database.pool.query(`insert into thing values ('still there', 'red')`)
})

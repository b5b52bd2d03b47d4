import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { brokenBetween, readSchemaFacts } from '@whereabouts/testing/database/schema-facts'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The exports of a migration file, see docs/contributing/migration.md. */
type MigrationFile = Migration & { contracts?: string }

const SERVICES = new URL('../../../../services/', import.meta.url)
/** The schema has the name of the service, with one exception. */
const schemaOf = (service: string) => (service === 'webhook-dispatcher' ? 'webhooks' : service)
const folderOf = (service: string) => fileURLToPath(new URL(`${service}/migrations`, SERVICES))
const owners = readdirSync(SERVICES).filter((service) => existsSync(folderOf(service)))

async function readMigrations(folder: string): Promise<Record<string, MigrationFile>> {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
  const files = await Promise.all(
    names.map(async (name) => import(join(folder, name)) as Promise<MigrationFile>),
  )
  return Object.fromEntries(names.map((name, i) => [name.replace(/\.ts$/, ''), files[i]!]))
}

/** Runs the migrations one by one. Returns the broken facts of each migration that breaks any. */
async function breaksOf(schema: string, migrations: Record<string, MigrationFile>) {
  const empty = mkdtempSync(join(tmpdir(), 'no-migrations-'))
  const database = await createServiceDatabase<unknown>(schema, empty)
  try {
    const provider = { getMigrations: async () => migrations }
    const migrator = new Migrator({ db: database.db, provider, migrationTableSchema: schema })
    const breaks: Record<string, string[]> = {}
    let before = await readSchemaFacts(database.pool)
    for (const name of Object.keys(migrations)) {
      const { error } = await migrator.migrateTo(name, { disableTransactions: true })
      if (error !== undefined) throw error
      const after = await readSchemaFacts(database.pool)
      const broken = brokenBetween(before, after)
      if (broken.length > 0) breaks[name] = broken
      before = after
    }
    return breaks
  } finally {
    await database.drop()
    rmSync(empty, { recursive: true })
  }
}

describe('a release keeps working while the next one migrates, because all that it relies on stays', () => {
  test.for(owners)('%s', async (service) => {
    const migrations = await readMigrations(folderOf(service))
    const breaks = await breaksOf(schemaOf(service), migrations)
    const undeclared = Object.entries(breaks).filter(([name]) => migrations[name]?.contracts === undefined)
    expect(Object.fromEntries(undeclared)).toEqual({})
    // No migration declares `contracts` without need: readers believe it.
    const declared = Object.entries(migrations).filter(([, { contracts }]) => contracts !== undefined)
    expect(declared.map(([name]) => name)).toEqual(Object.keys(breaks))
  })
})

describe('a change that breaks an older release is found', () => {
  const before = `
    create table thing (id bigint primary key, name text not null, size int, kind text default 'a' not null);
    create unique index thing_name on thing (name);
    create function twice(n int) returns int language sql as 'select 2 * n'`
  const breaksOfSql = async (change: string) => {
    const up = (statement: string) => async (db: Kysely<unknown>) =>
      void (await sql.raw(statement).execute(db))
    const breaks = await breaksOf('db', { '0001': { up: up(before) }, '0002': { up: up(change) } })
    return breaks['0002'] ?? []
  }

  test.for([
    ['alter table thing drop column size', ['lost: column thing.size integer']],
    ['alter table thing rename column size to width', ['lost: column thing.size integer']],
    ['alter table thing alter size type bigint', ['lost: column thing.size integer']],
    ['alter table thing alter size set not null', ['new: thing.size must be given']],
    ['alter table thing add column colour text not null', ['new: thing.colour must be given']],
    ['alter table thing add check (size > 0)', ['new: thing CHECK ((size > 0))']],
    ['create unique index on thing (size)', ['new: thing unique (size)']],
    ['drop index thing_name', ['lost: unique key thing (name)']],
    ['drop function twice', ['lost: function twice(integer)']],
  ] as const)('%s', async ([change, broken]) => expect(await breaksOfSql(change)).toEqual(broken))

  test.for([
    'alter table thing add column colour text',
    `alter table thing add column colour text not null default 'red'`,
    'alter table thing alter name drop not null',
    'create index on thing (size)',
    'create table other (id bigint primary key, thing_id bigint not null references thing)',
  ])('an expansion breaks nothing: %s', async (change) => expect(await breaksOfSql(change)).toEqual([]))
})

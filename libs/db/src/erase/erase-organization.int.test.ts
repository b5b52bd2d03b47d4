import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { sql } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base } from 'vitest'
import { eraseOrganization } from './erase-organization.ts'

type Tables = { ended: { id: number } }

/** Rows that name each other, a tree, partitions, a trigger that adds rows, and a table of all organizations. */
const SCHEMA = `
  create table place (org_id bigint, id bigint, parent_id bigint, primary key (org_id, id),
    foreign key (org_id, parent_id) references place (org_id, id));
  create table a_thing (org_id bigint, id bigint, place_id bigint, primary key (org_id, id),
    foreign key (org_id, place_id) references place (org_id, id));
  create table seen (org_id bigint, day int, thing_id bigint, primary key (org_id, day, thing_id)) partition by range (day);
  create table seen_1 partition of seen for values from (0) to (5);
  create table seen_2 partition of seen for values from (5) to (10);
  create table note (thing_id bigint, n int, org_id bigint, primary key (thing_id, n), foreign key (org_id, thing_id) references a_thing (org_id, id));
  create table counted (org_id bigint, id bigint generated always as identity, n int, primary key (org_id, id));
  create function count_thing() returns trigger language plpgsql as $$ begin
    insert into counted (org_id, n) values (old.org_id, -1); return null; end $$;
  create trigger thing_deleted after delete on a_thing for each row execute function count_thing();
  create table ended (id bigint);
  create table outbox (subject text)`

const TABLES = ['place', 'a_thing', 'seen', 'note', 'counted'] as const

const test = base.extend<{ database: ServiceDatabase<Tables>; count: (org: number) => Promise<number[]> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest requires the pattern
  database: async ({}, use) => {
    const empty = mkdtempSync(join(tmpdir(), 'no-migrations-'))
    const database = await createServiceDatabase<Tables>('db', empty)
    await database.pool.query(SCHEMA)
    for (const org of [1, 2]) await fill(database, org)
    await use(database)
    await database.drop()
    rmSync(empty, { recursive: true })
  },
  count: async ({ database }, use) =>
    use(async (org) => {
      const counts = TABLES.map(
        (table) => sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where org_id = ${org}`,
      )
      const rows = await Promise.all(counts.map(async (each) => (await each.execute(database.db)).rows))
      return rows.map(([row]) => row?.n ?? Number.NaN)
    }),
})

async function fill({ db }: ServiceDatabase<Tables>, org: number): Promise<void> {
  await sql`insert into place select ${org}, i, nullif(i / 2, 0) from generate_series(1, 500) i`.execute(db)
  await sql`insert into a_thing select ${org}, i, 1 + i % 500 from generate_series(1, 2000) i`.execute(db)
  await sql`insert into seen select ${org}, i % 10, i from generate_series(1, 10000) i`.execute(db)
  await sql`insert into note select i, n, ${org} from generate_series(${org} * 50, ${org} * 50 + 9) i, generate_series(1, 10) n`.execute(
    db,
  )
  await sql`insert into counted (org_id, n) values (${org}, 2000)`.execute(db)
}
const FULL = [500, 2_000, 10_000, 100, 1]

test('all rows of one organization go, those of triggers too, and another keeps all', async ({
  database,
  count,
}) => {
  let rows = 0
  for (let left = true; left;) {
    const step = await eraseOrganization(database.db, 1)
    rows += step.deleted
    left = step.left
  }
  expect(await count(1)).toEqual([0, 0, 0, 0, 0])
  expect(rows).toBe(500 + 2_000 + 10_000 + 100 + 1 + 2_000)
  expect(await count(2)).toEqual(FULL)
  expect(await eraseOrganization(database.db, 1)).toEqual({ deleted: 0, left: false })
})

test('it ends where its session is killed, three times, and goes on from there', async ({
  database,
  count,
}) => {
  // Without the rows of the trigger: each deletion of a thing adds one.
  const remaining = async () => (await count(1)).slice(0, 4).reduce((sum, n) => sum + n, 0)
  const before = [await remaining()]
  for (let kill = 0; kill < 3; kill += 1) {
    const killed = eraseOrganization(database.db, 1, {
      onDeleted: {
        a_thing: async (tx) => void (await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)),
      },
      forMs: 60_000,
    })
    await expect(killed).rejects.toThrow()
    await eraseOrganization(database.db, 1, { forMs: 0 }) // a step that ends in time
    before.push(await remaining())
  }
  expect(before.toSorted((a, b) => b - a)).toEqual(before)
  expect(new Set(before).size).toBe(4)
  while ((await eraseOrganization(database.db, 1)).left);
  expect(await count(1)).toEqual([0, 0, 0, 0, 0])
  expect(await count(2)).toEqual(FULL)
})

test('what is done about deleted rows is committed with them, for each row once', async ({ database }) => {
  const onDeleted = {
    a_thing: async (tx: typeof database.db, rows: readonly Record<string, unknown>[]) => {
      for (const { id } of rows) await sql`insert into ended values (${id})`.execute(tx)
    },
  }
  for (let left = true; left;) ({ left } = await eraseOrganization(database.db, 1, { onDeleted, forMs: 50 }))
  const { rows } = await database.pool.query('select count(*) as n, count(distinct id) as ids from ended')
  expect(rows).toEqual([{ n: 2_000, ids: 2_000 }])
})

test('the defaults of all organizations are refused', async ({ database }) => {
  await expect(eraseOrganization(database.db, 0)).rejects.toThrow('defaults of all')
})

test('a table whose rows of an organization no index finds is refused', async ({ database }) => {
  await database.pool.query('create table lost (org_id bigint, id bigint primary key)')
  await expect(eraseOrganization(database.db, 1)).rejects.toThrow(
    'no index finds the rows of an organization in lost',
  )
})

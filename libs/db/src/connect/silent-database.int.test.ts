import { wayTo, type WayToServer } from '@whereabouts/testing/lost-machine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase, type Database } from './database.ts'

const { WB_TEST_DATABASE_URL } = process.env

let way: WayToServer
let database: Database<unknown>

beforeEach(async () => {
  if (WB_TEST_DATABASE_URL === undefined) throw new Error('run this file with npm test')
  way = await wayTo(WB_TEST_DATABASE_URL)
  database = openDatabase(way.url, { max: 1, statementTimeoutMs: 200 })
})
afterEach(async () => {
  await database.close()
  await way.close()
})

test('a statement on a connection whose other end is gone fails, and the next one gets a new connection', async () => {
  await database.pool.query('select 1')
  way.loseMachine()
  await expect(database.pool.query('select 2')).rejects.toThrow(/^no answer from the database in 5200 ms$/)
  expect((await database.pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
})

test('a connection that answers in time stays', async () => {
  const pidOf = async () =>
    (await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const pid = await pidOf()
  await database.pool.query('set statement_timeout = 0')
  await database.pool.query('select pg_sleep(1)')
  expect(await pidOf()).toBe(pid)
})

test('where statements may take for ever, as in migrations, a long one is waited for', async () => {
  const url = WB_TEST_DATABASE_URL ?? ''
  const unlimited = openDatabase(url, { max: 1, statementTimeoutMs: 0 })
  const { rows } = await unlimited.pool.query('select pg_sleep(5.5), 1 as one')
  expect(rows).toMatchObject([{ one: 1 }])
  await unlimited.close()
})

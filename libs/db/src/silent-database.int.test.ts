import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase, type Database } from './database.ts'

const { WB_TEST_DATABASE_URL } = process.env
const LOST = { timeout: 10_000 }

let database: Database<unknown>
let sockets: Socket[]
let closeWay: () => Promise<void>
/** The machine of the database disappears: existing connections carry nothing more, and nobody closes them. */
const loseMachine = () => {
  for (const socket of sockets.splice(0)) socket.unpipe().resume()
}

beforeEach(async () => {
  if (WB_TEST_DATABASE_URL === undefined) throw new Error('run this file with npm test')
  const url = new URL(WB_TEST_DATABASE_URL)
  const port = Number(url.port)
  sockets = []
  const all = new Set<Socket>()
  const way = createServer((near) => {
    const far = connect(port, url.hostname)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      all.add(socket)
      sockets.push(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
    } // oxfmt-ignore
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  url.port = String((way.address() as AddressInfo).port)
  closeWay = async () => {
    for (const socket of all) socket.destroy()
    await new Promise((resolve) => way.close(resolve))
  }
  database = openDatabase(url.href, { max: 1, statementTimeoutMs: 200 })
})
afterEach(async () => {
  await database.close()
  await closeWay()
})

test('a statement on a connection whose other end is gone fails, and the next one gets a new connection', async () => {
  await database.pool.query('select 1')
  loseMachine()
  await expect(database.pool.query('select 2')).rejects.toThrow(/^no answer from the database in 5200 ms$/)
  expect((await database.pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
})

test('a connection that answers in time stays', async () => {
  const pidOf = async () =>
    (await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const pid = await pidOf()
  await expect.poll(() => database.load().idle, LOST).toBe(1)
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

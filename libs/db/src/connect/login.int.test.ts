import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRole, type TestRole } from '@whereabouts/testing/database/database'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from './database.ts'
import { openPipeline, type Pipeline } from '../tenant/pipeline.ts'

const log = createLogger('test', 'silent')

let role: TestRole
beforeEach(async () => {
  role = await createRole('old')
})
afterEach(() => role.drop())

/** The address of a service while the password changes from `old` to `new`. */
const bothPasswords = () => `${role.url('new')}?previous_password=old`

describe('a pool', () => {
  let database: Database<unknown>
  afterEach(() => database.close())

  const open = (url: string) => (database = openDatabase(url, { max: 10, log }))
  const ask = () => sql`select pg_sleep(0.01)`.execute(database.db)
  /** Needs further connections. */
  const askTogether = () => Promise.all(Array.from({ length: 10 }, ask))

  test('uses the new password as soon as the server has it, and the previous one before that', async () => {
    open(bothPasswords())
    await ask()
    await role.setPassword('new')
    expect(await askTogether()).toHaveLength(10)
  })

  test('finds its way back when the server is set to the previous password', async () => {
    await role.setPassword('new')
    open(bothPasswords())
    await ask()
    await role.setPassword('old')
    expect(await askTogether()).toHaveLength(10)
  })

  test('says that it is reachable with the previous password', async () => {
    open(bothPasswords())
    expect(await database.isReachable()).toBe(true)
  })

  test('fails if the server takes neither', async () => {
    open(bothPasswords())
    await role.setPassword('other')
    await expect(ask()).rejects.toThrow('password authentication failed')
    expect(await database.isReachable()).toBe(false)
  })

  test('without a previous password, a wrong one fails', async () => {
    open(role.url('new'))
    await expect(ask()).rejects.toThrow('password authentication failed')
  })

  test('an empty previous password is none', async () => {
    open(`${role.url('old')}?previous_password=`)
    await ask()
    await database.close()
    open(`${role.url('new')}?previous_password=`)
    await expect(ask()).rejects.toThrow('password authentication failed')
  })
})

describe('a pipeline', () => {
  let pipeline: Pipeline
  beforeEach(() => {
    pipeline = openPipeline(bothPasswords(), { name: 'login-test', log, timeoutMs: 2_000 })
  })
  afterEach(() => pipeline.close())
  const pidOf = async () => {
    const { rows } = await pipeline.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
    return rows[0]?.pid
  }

  test('uses either password over one connection', async () => {
    const pids = await Promise.all([pidOf(), pidOf(), pidOf()])
    expect(new Set(pids).size).toBe(1)
    expect(await pidOf()).toBe(pids[0])
    await role.setPassword('new')
    const end = pipeline.query({ text: 'select pg_terminate_backend(pg_backend_pid())' })
    await expect(end).rejects.toThrow()
    await expect.poll(() => pidOf().catch(() => pids[0])).not.toBe(pids[0])
  })
})

import { eventually } from '@whereabouts/testing/eventually'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPipeline, type Pipeline } from './pipeline.ts'

const log = createLogger('test', 'silent')
const NAME = 'pipeline-test'

let folder: string
let database: ServiceDatabase<unknown>
let pipeline: Pipeline
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  writeFileSync(join(folder, '0001_nothing.ts'), 'export async function up() {}')
  database = await createServiceDatabase('pipeline_test', folder)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  pipeline = openPipeline(database.url, { name: NAME, log, timeoutMs: 500 })
})
afterEach(() => pipeline.close())

const ask = async (n: number) => {
  const statement = { name: 'ask', text: 'select $1::int as n, pg_backend_pid() as pid', values: [n] }
  const { rows } = await pipeline.query<{ n: number; pid: number }>(statement)
  return rows[0]
}

test('simultaneous statements share a connection, and each gets its own result', async () => {
  const asked = Array.from({ length: 200 }, (_, i) => i)
  const answers = await Promise.all(asked.map(ask))
  expect(answers.map((row) => row?.n)).toEqual(asked)
  expect(new Set(answers.map((row) => row?.pid)).size).toBe(1)
})

test('a failed statement does not affect those before and after it', async () => {
  const failing = pipeline.query({ text: 'select 1 / 0' })
  const [before, after] = [ask(1), ask(2)]
  await expect(failing).rejects.toThrow('division by zero')
  expect([(await before)?.n, (await after)?.n]).toEqual([1, 2])
})

test('a statement that takes too long fails, and the next one succeeds', async () => {
  await expect(pipeline.query({ text: 'select pg_sleep(20)' })).rejects.toThrow('statement timeout')
  expect((await ask(3))?.n).toBe(3)
})

test('if the server stops answering, the next statement connects again', async () => {
  const first = await ask(1)
  await pipeline.query({ text: 'set statement_timeout = 0' })
  await expect(pipeline.query({ text: 'select pg_sleep(20)' })).rejects.toThrow('Query read timeout')
  await eventually(async () => expect((await ask(2))?.pid).not.toBe(first?.pid))
})

test('a lost connection is opened again', async () => {
  await ask(1)
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${NAME}'`
  await database.pool.query(cut)
  await eventually(async () => expect((await ask(4))?.n).toBe(4))
})

test('each statement rejects if nothing listens at the address', async () => {
  const nowhere = openPipeline('postgres://nobody@127.0.0.1:1/none', { name: NAME, log, timeoutMs: 500 })
  for (let i = 0; i < 2; i += 1)
    await expect(nowhere.query({ text: 'select 1' })).rejects.toThrow('ECONNREFUSED')
  await nowhere.close()
})

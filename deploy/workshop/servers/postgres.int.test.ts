import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasEnded } from './child.ts'
import { type PostgresServer, startPostgres, stopLeftoverPostgres } from './postgres.ts'

let home: string
const running: PostgresServer[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'postgres-test-'))
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
  rmSync(home, { recursive: true, force: true })
})

async function start(): Promise<PostgresServer & { notes: string[] }> {
  const notes: string[] = []
  const options = { dataDir: join(home, 'data'), password: 'letter-0', durable: false }
  const server = await startPostgres({ ...options, onNote: (note) => notes.push(note) })
  running.push(server)
  return Object.assign(server, { notes })
}

async function query(server: PostgresServer, sql: string): Promise<unknown[]> {
  const client = new Client(server.url())
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a leftover server on the same data is stopped first, and its commits are kept', async () => {
  const leftover = await start()
  await query(leftover, 'create table kept as select 7 as number')
  const next = await start()
  expect(next.notes).toEqual([`stopped PostgreSQL left over from a killed run (pid ${leftover.pid})`])
  expect(await query(next, 'select number from kept')).toEqual([{ number: 7 }])
})

test('an incomplete initdb does not count as a cluster', async () => {
  mkdirSync(join(home, 'data/cluster.partial'), { recursive: true })
  writeFileSync(join(home, 'data/cluster.partial/PG_VERSION'), '18\n')
  expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('another process with the pid of an old server is left alone', async () => {
  const innocent = spawn('sleep', ['60'])
  await once(innocent, 'spawn')
  const cluster = join(home, 'cluster')
  mkdirSync(cluster)
  writeFileSync(join(cluster, 'postmaster.pid'), `${innocent.pid}\n${cluster}\n`)
  expect(await stopLeftoverPostgres(cluster)).toBeUndefined()
  expect(hasEnded(innocent)).toBe(false)
  innocent.kill()
})

test('the server of another cluster is left alone', async () => {
  const other = await start()
  const cluster = join(home, 'cluster')
  mkdirSync(cluster)
  writeFileSync(join(cluster, 'postmaster.pid'), `${other.pid}\n${cluster}\n`)
  expect(await stopLeftoverPostgres(cluster)).toBeUndefined()
  expect(await query(other, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('strings are ordered by code point on every machine', async () => {
  const rows = await query(await start(), "select s from unnest(array['b', 'B', 'a', 'Ä', '-']) s order by s")
  expect(rows).toEqual(['-', 'B', 'a', 'b', 'Ä'].map((s) => ({ s })))
})

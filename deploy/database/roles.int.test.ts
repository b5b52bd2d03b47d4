import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateSecrets } from '../local/secrets.ts'
import { type PostgresServer, startPostgres } from '../local/servers/postgres.ts'
import { createRoles, databaseUrl } from './roles.ts'

const passwords = generateSecrets().database_passwords
let home: string
let server: PostgresServer

// Roles belong to the whole server, so this suite does not share one with others.
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'roles-test-'))
  server = await startPostgres({ dataDir: join(home, 'data'), password: 'letter-0', durable: false })
  await Promise.all([createRoles(server.url(), passwords), createRoles(server.url(), passwords)])
})

afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

async function query(
  role: keyof typeof passwords,
  sql: string,
  password = passwords[role],
): Promise<unknown[]> {
  const client = new Client(databaseUrl(server.url(), 'whereabouts', { name: role, password }))
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a role creates tables in its own schema without naming it', async () => {
  await query('tracking', 'create table scan (id int)')
  expect(await query('tracking', "select to_regclass('tracking.scan') is not null as found")).toEqual([
    { found: true },
  ])
})

test('a role sees and touches nothing of another', async () => {
  await query('keys', 'create table secret (value text)')
  await expect(query('catalog', 'select * from keys.secret')).rejects.toThrow(
    'permission denied for schema keys',
  )
  await expect(query('catalog', 'create table keys.mine (id int)')).rejects.toThrow('permission denied')
  await expect(query('catalog', 'create table public.mine (id int)')).rejects.toThrow('permission denied')
  expect(await query('catalog', "select has_schema_privilege('public', 'usage') as usage")).toEqual([
    { usage: false },
  ])
  await expect(query('catalog', 'create schema mine')).rejects.toThrow('permission denied')
  await expect(query('catalog', 'set role keys')).rejects.toThrow('permission denied')
})

test('catalog can index for substring search', async () => {
  await query('catalog', 'create table asset (name text)')
  await query('catalog', 'create index asset_name on asset using gin (name gin_trgm_ops)')
  await query('catalog', 'create extension if not exists pg_trgm') // as a migration may say
  expect(await query('catalog', "select to_regclass('asset_name')::text as index")).toEqual([
    { index: 'asset_name' },
  ])
})

test('running it again changes passwords and keeps the data', async () => {
  await query('gateway', 'create table bucket as select 1 as tokens')
  await createRoles(server.url(), { ...passwords, gateway: 'changed-0' })
  expect(await query('gateway', 'select tokens from bucket', 'changed-0')).toEqual([{ tokens: 1 }])
  await expect(query('gateway', 'select 1')).rejects.toThrow('password authentication failed')
})

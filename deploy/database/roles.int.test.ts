import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateSecrets } from '../installation/secrets.ts'
import { type PostgresServer, startPostgres } from '../workshop/servers/postgres.ts'
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

test('a role can neither read nor change the schema of another', async () => {
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

test.for(['catalog', 'tracking'] as const)(
  '%s can index for substring search within an organization',
  async (role) => {
    await query(role, 'create table thing (org_id bigint, name text)')
    await query(role, 'create index thing_name on thing using gin (org_id, name gin_trgm_ops)')
    await query(role, 'create extension if not exists pg_trgm') // as a migration may say
    expect(await query(role, "select to_regclass('thing_name')::text as index")).toEqual([
      { index: 'thing_name' },
    ])
  },
)

test('an installation with the extensions in the schema catalog keeps its indexes', async () => {
  const admin = new Client(databaseUrl(server.url(), 'whereabouts'))
  await admin.connect()
  await admin.query('alter extension pg_trgm set schema catalog')
  await admin.end()
  await query('catalog', 'create table old (name text)')
  await query('catalog', 'create index old_name on old using gin (name gin_trgm_ops)')
  await createRoles(server.url(), passwords)
  await query('catalog', `insert into old values ('abc')`)
  expect(await query('catalog', `select similarity(name, 'abc') as same from old`)).toEqual([{ same: 1 }])
})

test('a second run changes passwords and keeps the data', async () => {
  await query('gateway', 'create table bucket as select 1 as tokens')
  await createRoles(server.url(), { ...passwords, gateway: 'changed-0' })
  expect(await query('gateway', 'select tokens from bucket', 'changed-0')).toEqual([{ tokens: 1 }])
  await expect(query('gateway', 'select 1')).rejects.toThrow('password authentication failed')
})

test('names the roles whose password it changes', async () => {
  await createRoles(server.url(), passwords)
  expect(await createRoles(server.url(), passwords)).toEqual([])
  const changed = { ...passwords, tracking: 'letter-1', keys: 'letter-2' }
  expect((await createRoles(server.url(), changed)).toSorted()).toEqual(['keys', 'tracking'])
  expect(await query('tracking', 'select 1 as one', 'letter-1')).toEqual([{ one: 1 }])
  await expect(query('keys', 'select 1')).rejects.toThrow('password authentication failed')
  await createRoles(server.url(), passwords)
})

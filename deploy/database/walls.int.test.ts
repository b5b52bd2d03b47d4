import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateSecrets, type DatabaseRole } from '../installation/secrets.ts'
import { type PostgresServer, startPostgres } from '../workshop/servers/postgres.ts'
import { migrateAll } from './migrations.ts'
import { createRoles, DATABASE, databaseUrl } from './roles.ts'
import { wallProblems } from './walls.fixture.ts'

const passwords = generateSecrets().database_passwords
/** Without gateway: its only table counts requests and belongs to no organization. */
const OWNERS = ['catalog', 'tracking', 'keys', 'webhooks'] as const satisfies DatabaseRole[]
let home: string
let server: PostgresServer
let admin: Client

// As in a deployment, on a separate server: roles belong to the whole server.
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'walls-test-'))
  server = await startPostgres({ dataDir: join(home, 'data'), password: 'letter-0', durable: false })
  await createRoles(server.url(), passwords)
  await migrateAll((role) => urlOf(role, role))
  admin = new Client(databaseUrl(server.url(), DATABASE))
  await admin.connect()
}, 60_000)

afterAll(async () => {
  await admin.end()
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

const urlOf = (owner: DatabaseRole, name: string) =>
  databaseUrl(server.url(), DATABASE, { name, password: passwords[owner] })

/** Runs statements one after the other in a session that logged in as this role. */
async function as<R>(owner: DatabaseRole, name: string, work: (client: Client) => Promise<R>): Promise<R> {
  const client = new Client(urlOf(owner, name))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe('S10 in the live database', () => {
  test.for(OWNERS)(
    '%s: every table with an organization is isolated, and no role bypasses that',
    async (owner) => {
      if (owner === 'tracking')
        await as('tracking', 'tracking_worker', async (client) => {
          await client.query(`select make_scan_month('2026-11')`)
        })
      expect(await wallProblems(admin, owner)).toEqual([])
    },
  )

  test.for([
    ['create table tracking.planted (org_id bigint)', 'planted has no row security'],
    [
      'alter table tracking.scan_2026_11_26 disable row level security',
      'scan_2026_11_26 has no row security',
    ],
    ['drop policy every_organization on tracking.reader', 'reader has no policy for tracking_worker'],
    ['create policy p on tracking.tag using (true)', 'a policy of tag is for all roles'],
    ['alter role tracking_tenant bypassrls', 'tracking_tenant has rights beyond its tables'],
    ['grant tracking to tracking_tenant', 'tracking_tenant can become tracking'],
    ['alter table tracking.placement owner to tracking_tenant', 'tracking_tenant owns tracking.placement'],
    ['grant select (payload) on tracking.outbox to tracking_tenant', 'tracking_tenant may select outbox'],
    ['grant select on tracking.id_key to tracking_worker', 'tracking_worker may select id_key'],
    [
      'grant delete on tracking.kysely_migration to tracking_tenant',
      'tracking_tenant may delete kysely_migration',
    ],
  ])('%s: is reported', async ([statement, problem]) => {
    await admin.query('begin')
    // With the owner as a member of the tenant, PostgreSQL would refuse the circle in one of the statements.
    await admin.query('revoke tracking_tenant from tracking')
    await admin.query(statement!)
    expect(await wallProblems(admin, 'tracking')).toContain(`tracking: ${problem}`)
    await admin.query('rollback')
  })
})

describe('a session that serves requests', () => {
  test.for(OWNERS)('%s: cannot change its role', async (owner) => {
    await as(owner, `${owner}_tenant`, async (client) => {
      for (const text of [`set role ${owner}`, `set role ${owner}_worker`, 'select * from kysely_migration'])
        await expect(client.query(text)).rejects.toThrow('permission denied')
      for (const text of ['reset role', 'reset session authorization']) await client.query(text)
      await expect(client.query('select secret from id_key')).rejects.toThrow('permission denied')
      expect((await client.query('select current_user::text as name')).rows).toEqual([
        { name: `${owner}_tenant` },
      ])
    })
  })

  test.for(['catalog', 'tracking', 'keys', 'webhooks'] as const)(
    '%s: the outbox cannot be read',
    async (owner) => {
      await as(owner, `${owner}_tenant`, async (client) => {
        await expect(client.query('select * from outbox')).rejects.toThrow('permission denied')
      })
    },
  )

  test.for(OWNERS)('%s: it mints ids and can neither read nor replace their key', async (owner) => {
    await as(owner, `${owner}_tenant`, async (client) => {
      const { rows } = await client.query<{ id: string }>('select mint_id() as id')
      expect(Number(rows[0]?.id)).toBeGreaterThan(0)
      await expect(client.query('create temporary table id_key (secret bytea)')).rejects.toThrow(
        'permission denied',
      )
      await expect(client.query(`select nextval('id_sequence')`)).rejects.toThrow('permission denied')
    })
  })
})

// It serves requests as the tenant in sessions of the owner, while this release migrates (ADR 30).
describe('the release before row security', () => {
  test('works in catalog: its sessions become the tenant, write rows and publish changes', async () => {
    await as('catalog', 'catalog', async (client) => {
      await client.query('set role catalog_tenant')
      await client.query(`set whereabouts.org_id = '7'`)
      const location = `insert into location (org_id, external_key, name) values (7, 'DOCK', 'Dock') returning id`
      expect((await client.query(location)).rowCount).toBe(1)
      await client.query(
        `insert into outbox (subject, msg_id, keep, payload, headers) values ('catalog.x', 'x', 'last', '{}', '{}')`,
      )
      await client.query('reset role')
      expect((await client.query('delete from outbox')).rowCount).toBe(1)
    })
  })

  test('works in tracking and keys: the owner sees all rows and creates partitions', async () => {
    await as('tracking', 'tracking', async (client) => {
      await client.query('create table scan_2020_01 (like scan including all)')
      await client.query(
        `alter table scan attach partition scan_2020_01 for values from ('2020-01-01Z') to ('2020-02-01Z')`,
      )
      await client.query(
        `insert into scan (org_id, asset_id, minute, observed_at) values (1, 1, '2020-01-02Z', '2020-01-02Z'), (2, 1, '2020-01-02Z', '2020-01-02Z')`,
      )
      expect((await client.query('select org_id from scan')).rowCount).toBe(2)
      await client.query('drop table scan_2020_01')
    })
    await as('keys', 'keys', async (client) => {
      await client.query(`insert into org (name) values ('Acme'), ('Umbrella')`)
      expect((await client.query('select id from org')).rowCount).toBe(2)
    })
  })
})

import type { Grant, Login } from '@whereabouts/messaging/readers/callout'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { expect } from 'vitest'
import { test, type Key, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { disconnectRevoked } from '../../brokers/disconnects/disconnects.loop.ts'
import { decideLogin, type LoginDeps } from './logins.ts'
import { freeReaderAccounts, purgeClientIds } from './reader-logins.queries.ts'

const log = createLogger('keys', 'silent')
const DAY_SECONDS = 24 * 3_600

const NOBODY: LoginDeps['connections'] = {
  of: () => 0,
  total: 0,
  expect: () => undefined,
  refresh: async () => undefined,
  readerAccounts: 1_000,
  usersIn: () => [],
}

type Given = Partial<Login> & { connections?: LoginDeps['connections']; now?: () => number }

const decide = (
  keys: Keys,
  { client_id, client_secret }: Pick<Key, 'client_id' | 'client_secret'>,
  { connections = NOBODY, now = Date.now, ...login }: Given = {},
) =>
  decideLogin({ db: keys.database.db, now, connections })({
    user: client_id,
    password: client_secret,
    clientType: 'nats',
    clientId: 'dock-1',
    host: '192.0.2.1',
    ...login,
  })

/** The grant. Throws the reason of a refusal. */
async function granted(...login: Parameters<typeof decide>): Promise<Grant> {
  const answer = await decide(...login)
  if (!answer || 'refused' in answer) throw new Error(`refused: ${answer?.refused}`)
  return answer
}

const reader = (keys: Keys, org: Org, expires_at: string | null = null) =>
  keys.createKey(org, { scopes: ['scans:write'], expires_at })

const revoke = (keys: Keys, org: Org, key: Key) =>
  keys.send(`/api/v1/orgs/${org.orgId}/api-keys/${key.id}`, { method: 'DELETE', caller: keys.admin(org) })

const pending = (keys: Keys) => keys.database.db.selectFrom('pending_disconnect').selectAll().execute()

const brokerAway = () => Promise.reject(new Error('broker away'))

/** Deletes the rows of earlier tests. */
const nothingPending = (keys: Keys) => keys.database.db.deleteFrom('pending_disconnect').execute()

/** Moves the revocation and the last attempt into the past. */
const later = (keys: Keys, seconds: number) =>
  keys.database.pool.query(
    `update pending_disconnect set created_at = created_at - make_interval(secs => $1),
                                   next_at = next_at - make_interval(secs => $1)`,
    [seconds],
  )

test("over NATS a reader publishes its organization's scans and reads its inboxes", async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const [key, second, theirs] = [await reader(keys, org), await reader(keys, org), await reader(keys, other)]
  const nowMs = Date.now()
  const grant = await granted(keys, key, { now: () => nowMs })
  expect(grant).toEqual({
    name: key.jti,
    account: expect.stringMatching(/^R\d{4}$/),
    publish: [`scans.${org.orgId}.>`],
    subscribe: ['_INBOX.>'],
    connectionTypes: ['STANDARD'],
    expiresAt: Math.floor(nowMs / 1_000) + DAY_SECONDS,
  })
  expect((await granted(keys, second)).account).toBe(grant.account)
  expect((await granted(keys, theirs)).account).not.toBe(grant.account)
  expect((await granted(keys, key)).account).toBe(grant.account)
})

test('organizations with a concurrent first login get an account each', async ({ keys }) => {
  const fresh = await Promise.all(Array.from({ length: 6 }, async () => reader(keys, await keys.signUp())))
  const logins = fresh.flatMap((key) => [granted(keys, key), granted(keys, key)])
  const accounts = (await Promise.all(logins)).map(({ account }) => account)
  expect(new Set(accounts).size).toBe(fresh.length)
  for (let i = 0; i < accounts.length; i += 2) expect(accounts[i]).toBe(accounts[i + 1])
})

test('without a free account readers share one, with an inbox prefix each', async ({ keys }) => {
  const key = await reader(keys, await keys.signUp())
  const connections = { ...NOBODY, readerAccounts: 0 }
  expect(await granted(keys, key, { connections })).toMatchObject({
    account: 'READERS',
    subscribe: [`_INBOX.${key.jti}.>`],
  })
})

test('an account unused for 30 days is given again, and its organization gets another', async ({ keys }) => {
  const { db, pool } = keys.database
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const [key, theirs] = [await reader(keys, org), await reader(keys, other)]
  const { account } = await granted(keys, key)
  const unused = (days: number) =>
    pool.query(`update org set reader_account_used_at = now() - make_interval(days => $2) where id = $1`, [
      org.orgId,
      days,
    ])
  await unused(29)
  expect(await freeReaderAccounts(db, 1_000)).toBe(0)
  await unused(31)
  expect((await granted(keys, key)).account, 'a login counts as use').toBe(account)
  expect(await freeReaderAccounts(db, 1_000)).toBe(0)
  await unused(31)
  expect(await freeReaderAccounts(db, 1_000)).toBe(1)
  expect((await granted(keys, theirs)).account).toBe(account)
  expect((await granted(keys, key)).account).not.toBe(account)
})

test('a login and the release of its account at once never leave it to two organizations', async ({
  keys,
}) => {
  const { db, pool } = keys.database
  const org = await keys.signUp()
  const key = await reader(keys, org)
  await granted(keys, key)
  for (let turn = 0; turn < 10; turn += 1) {
    await pool.query(`update org set reader_account_used_at = now() - interval '31 days' where id = $1`, [
      org.orgId,
    ])
    const [{ account }] = await Promise.all([granted(keys, key), freeReaderAccounts(db, 1_000)])
    const { rows } = await pool.query<{ reader_account: number }>(
      'select reader_account from org where id = $1',
      [org.orgId],
    )
    expect(account).toBe(`R${String(rows[0]?.reader_account).padStart(4, '0')}`)
  }
})

test('an organization whose account the broker no longer has gets a free one', async ({ keys }) => {
  const { pool } = keys.database
  const org = await keys.signUp()
  const key = await reader(keys, org)
  await granted(keys, key)
  await pool.query('update org set reader_account = 5000 where id = $1', [org.orgId])
  expect((await granted(keys, key)).account).toMatch(/^R0\d{3}$/)
})

test('an account where somebody is connected is not given, but the next one is', async ({ keys }) => {
  const occupied: string[] = []
  const first = {
    ...NOBODY,
    usersIn(account: string) {
      if (occupied.length === 0) occupied.push(account)
      return occupied.includes(account) ? ['a reader that the database has forgotten'] : []
    },
  }
  const other = await reader(keys, await keys.signUp())
  const { account } = await granted(keys, other, { connections: first })
  expect(account).toMatch(/^R\d{4}$/)
  expect(occupied).not.toContain(account)
  const connections = { ...NOBODY, usersIn: () => ['a reader that the database has forgotten'] }
  const key = await reader(keys, await keys.signUp())
  expect((await granted(keys, key, { connections })).account).toBe('READERS')
  expect((await granted(keys, key)).account).toMatch(/^R\d{4}$/)
})

test('over MQTT a reader may publish and not subscribe', async ({ keys }) => {
  const org = await keys.signUp()
  expect(await granted(keys, await reader(keys, org), { clientType: 'mqtt' })).toMatchObject({
    account: 'MQTT',
    publish: [`scans.${org.orgId}.>`],
    subscribe: [],
    connectionTypes: ['MQTT'],
  })
})

test('another protocol is refused', async ({ keys }) => {
  const key = await reader(keys, await keys.signUp())
  expect(await decide(keys, key, { clientType: 'websocket' })).toEqual({
    refused: 'readers speak NATS or MQTT, not websocket',
  })
})

test('an MQTT client id belongs to the organization that uses it', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const [ours, second, theirs] = [await reader(keys, org), await reader(keys, org), await reader(keys, other)]
  const overMqtt = (key: Key, clientId: string) => decide(keys, key, { clientType: 'mqtt', clientId })
  const refused = {
    refused: 'the MQTT client id is used by another organization: begin it with the number of yours',
  }
  expect(await overMqtt(ours, 'gateway-1')).toMatchObject({ account: 'MQTT' })
  expect(await overMqtt(second, 'gateway-1')).toMatchObject({ account: 'MQTT' })
  expect(await overMqtt(theirs, 'gateway-1')).toEqual(refused)
  expect(await overMqtt(theirs, 'Gateway-1')).toMatchObject({ account: 'MQTT' }) // another id for the broker
  // Other organizations cannot claim an id that names the organization or the key.
  expect(await overMqtt(theirs, `${org.orgId}-dock`)).toEqual(refused)
  expect(await overMqtt(ours, `${org.orgId}-dock`)).toMatchObject({ account: 'MQTT' })
  expect(await overMqtt(theirs, theirs.jti)).toMatchObject({ account: 'MQTT' })
  expect(await overMqtt(theirs, 'x'.repeat(257))).toEqual({
    refused: 'the MQTT client id is longer than 256 bytes',
  })
})

test('a client id is free after the broker has deleted its session', async ({ keys }) => {
  const [ours, theirs] = [await reader(keys, await keys.signUp()), await reader(keys, await keys.signUp())]
  const login = { clientType: 'mqtt', clientId: 'reader-2' }
  await granted(keys, ours, login)
  await keys.database.pool.query(
    `update mqtt_client set used_at = now() - interval '7 days 23 hours' where client_id = 'reader-2'`,
  )
  expect(await decide(keys, theirs, login)).toMatchObject({ refused: expect.any(String) })
  await keys.database.pool.query(
    `update mqtt_client set used_at = now() - interval '8 days 1 hour' where client_id = 'reader-2'`,
  )
  await granted(keys, theirs, login)
  expect(await decide(keys, ours, login)).toMatchObject({ refused: expect.any(String) })
})

test('client ids are deleted after eight days or beyond 10,000 per organization', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  const { db, pool } = keys.database
  await pool.query(
    `insert into mqtt_client (client_id, org_id, used_at)
     select 'many-' || n, $1::bigint, now() - make_interval(secs => n) from generate_series(1, 10003) n
     union all select 'old-' || n, $1::bigint, now() - interval '9 days' from generate_series(1, 2) n`,
    [orgId],
  )
  expect(await purgeClientIds(db, 1_000)).toBe(5)
  const { rows } = await pool.query<{ count: number; last: boolean }>(
    `select count(*)::int, bool_or(client_id = 'many-10001') as last from mqtt_client where org_id = $1`,
    [orgId],
  )
  expect(rows).toEqual([{ count: 10_000, last: false }])
  expect(await purgeClientIds(db, 1_000)).toBe(0)
})

test('a key has at most 200 connections, an organization 2000', async ({ keys }) => {
  const org = await keys.signUp()
  const all = await Promise.all(Array.from({ length: 11 }, () => reader(keys, org)))
  const open = new Map<string, number>()
  const connections: LoginDeps['connections'] = {
    of: (user) => open.get(user) ?? 0,
    get total() {
      return open.values().reduce((sum, count) => sum + count, 0)
    },
    expect: (user) => void open.set(user, (open.get(user) ?? 0) + 1),
    refresh: async () => undefined,
    readerAccounts: 1_000,
    usersIn: () => [],
  }
  const [first, last] = [all[0]!, all[10]!]
  open.set(first.jti, 199)
  await granted(keys, first, { connections })
  expect(await decide(keys, first, { connections })).toEqual({
    refused: 'more than 200 connections of one key: use another key',
  })
  for (const { jti } of all.slice(1, 10)) open.set(jti, 199)
  for (let n = 0; n < 9; n += 1) await granted(keys, last, { connections })
  expect(await decide(keys, last, { connections })).toEqual({
    refused: 'more than 2000 connections of one organization',
  })
})

test('connections that a killed broker did not report as closed do not block logins', async ({ keys }) => {
  const key = await reader(keys, await keys.signUp())
  let counted = 200
  const refresh = async () => {
    counted = 0
  }
  const connections = { ...NOBODY, of: () => counted, refresh }
  expect(await granted(keys, key, { connections })).toMatchObject({ name: key.jti })
})

test('a connection ends with its key', async ({ keys }) => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 600
  const key = await reader(keys, await keys.signUp(), new Date(expiresAt * 1_000).toISOString())
  expect((await granted(keys, key)).expiresAt).toBe(expiresAt)
})

test('a login counts as use of the key', async ({ keys }) => {
  const org = await keys.signUp()
  await decide(keys, await reader(keys, org))
  const caller = keys.admin(org)
  const response = await keys.send(`/api/v1/orgs/${org.orgId}/api-keys`, { caller })
  expect(response.json().data).toMatchObject([{ last_used_at: expect.any(String) }])
})

test('wrong secret, other scope, revoked, expired and unknown are refused', async ({ keys }) => {
  const org = await keys.signUp()
  const [good, revoked, expired] = [
    await reader(keys, org),
    await reader(keys, org),
    await reader(keys, org, '2999-01-01T00:00:00Z'),
  ]
  await revoke(keys, org, revoked)
  await keys.database.db
    .updateTable('api_key')
    .set({ expires_at: '2020-01-01T00:00:00Z' })
    .where('id', '=', expired.id)
    .execute()
  const refused = [
    { ...good, client_secret: revoked.client_secret },
    await keys.createKey(org, { scopes: ['scans:read', 'tracking:read', 'keys:admin'] }),
    revoked,
    expired,
    { ...good, client_id: '00000000-0000-4000-8000-000000000000' },
    { ...good, client_id: 'services' },
    { ...good, client_id: '' },
    // The broker would know the connection by this spelling, and a revocation would miss it.
    { ...good, client_id: good.client_id.toUpperCase() },
  ]
  for (const key of refused) expect(await decide(keys, key)).toBeUndefined()
  expect(await decide(keys, good)).toBeDefined()
})

test('a revoked key is disconnected twice, for logins in flight', async ({ keys }) => {
  await nothingPending(keys)
  const org = await keys.signUp()
  const key = await reader(keys, org)
  await revoke(keys, org, key)
  const users: string[] = []
  const turn = () =>
    disconnectRevoked({
      db: keys.database.db,
      log,
      disconnect: async (user) => users.push(user),
    })
  await turn()
  expect(users).toEqual([key.jti])
  await turn()
  expect(users).toEqual([key.jti]) // not due again yet
  await later(keys, 5)
  await turn()
  expect(users).toEqual([key.jti, key.jti])
  expect(await pending(keys)).toEqual([])
})

test('a failed disconnect is retried until the broker is reachable', async ({ keys }) => {
  await nothingPending(keys)
  const org = await keys.signUp()
  await revoke(keys, org, await reader(keys, org))
  await later(keys, 5)
  const { db } = keys.database
  await disconnectRevoked({ db, log, disconnect: brokerAway })
  await later(keys, 5)
  await disconnectRevoked({ db, log, disconnect: brokerAway })
  expect(await pending(keys)).toHaveLength(1)
  await later(keys, 5)
  await disconnectRevoked({ db, log, disconnect: async () => 0 })
  expect(await pending(keys)).toEqual([])
})

test('one of several replicas claims a disconnect', async ({ keys }) => {
  await nothingPending(keys)
  const org = await keys.signUp()
  await revoke(keys, org, await reader(keys, org))
  let calls = 0
  const disconnect = async () => {
    calls += 1
  }
  const { db } = keys.database
  await Promise.all(Array.from({ length: 4 }, () => disconnectRevoked({ db, log, disconnect })))
  expect(calls).toBe(1)
  await later(keys, 5)
  await disconnectRevoked({ db, log, disconnect })
})

import { createLogger } from '@whereabouts/service-kit/logging'
import { expect } from 'vitest'
import { test, type Key, type Keys, type Org } from '../keys.fixture.ts'
import { disconnectRevoked } from './disconnects.loop.ts'
import { decideLogin } from './logins.ts'

const log = createLogger('keys', 'silent')
const DAY_SECONDS = 24 * 3_600

const decide = (keys: Keys, { client_id, client_secret }: Key, now = Date.now) =>
  decideLogin({ db: keys.database.db, now })({
    user: client_id,
    password: client_secret,
    clientType: 'mqtt',
    clientId: 'dock-1',
    host: '192.0.2.1',
  })

const reader = (keys: Keys, org: Org, expires_at: string | null = null) =>
  keys.createKey(org, { scopes: ['scans:write'], expires_at })

const revoke = (keys: Keys, org: Org, key: Key) =>
  keys.send(`/api/v1/orgs/${org.orgId}/api-keys/${key.id}`, { method: 'DELETE', caller: keys.admin(org) })

const pending = (keys: Keys) => keys.database.db.selectFrom('pending_disconnect').selectAll().execute()

const brokerAway = () => Promise.reject(new Error('broker away'))

/** What revocations of earlier tests have left. */
const nothingPending = (keys: Keys) => keys.database.db.deleteFrom('pending_disconnect').execute()

/** As if so much time had passed since the revocation and the last attempt. */
const later = (keys: Keys, seconds: number) =>
  keys.database.pool.query(
    `update pending_disconnect set created_at = created_at - make_interval(secs => $1),
                                   next_at = next_at - make_interval(secs => $1)`,
    [seconds],
  )

test('a reader may publish the scans of its organization and hear its own inbox', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await reader(keys, org)
  const nowMs = Date.now()
  expect(await decide(keys, key, () => nowMs)).toEqual({
    name: key.jti,
    account: 'APP',
    publish: [`scans.${org.orgId}.>`],
    subscribe: [`_INBOX.${key.jti}.>`],
    expiresAt: Math.floor(nowMs / 1_000) + DAY_SECONDS,
  })
})

test('a connection ends with its key', async ({ keys }) => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 600
  const key = await reader(keys, await keys.signUp(), new Date(expiresAt * 1_000).toISOString())
  expect((await decide(keys, key))?.expiresAt).toBe(expiresAt)
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

test('a revoked key is disconnected at once, once more for logins in flight, and then forgotten', async ({
  keys,
}) => {
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

test('a disconnect that failed comes again until the broker was reached', async ({ keys }) => {
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

test('of several replicas one takes a disconnect', async ({ keys }) => {
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

import { eventually } from '@whereabouts/testing/eventually'
import type { ApiKeyView } from '@whereabouts/contracts/resources/keys/api-keys'
import { connectReader } from '@whereabouts/messaging/readers/reader-connection'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { startBus } from '@whereabouts/testing/broker/bus'
import { describe, expect, vi } from 'vitest'
import { openBrokers } from '../../brokers.ts'
import type { Config } from '../../config.ts'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { decideLogin } from '../callout/logins.ts'
import { KeyUse } from './key-use.ts'
import { answerReaderUse } from './reader-use.responder.ts'

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

/** A key that was last used an hour ago. */
async function usedLongAgo(keys: Keys, org: Org) {
  const key = await keys.createKey(org, { scopes: ['scans:write'] })
  await setLastUse(keys, key.jti)
  return key
}

const setLastUse = (keys: Keys, jti: string) =>
  keys.database.db.updateTable('api_key').set({ last_used_at: HOUR_AGO }).where('jti', '=', jti).execute()

/** As the screen of API keys shows it. */
async function lastUse(keys: Keys, org: Org): Promise<string | null | undefined> {
  const caller = keys.admin(org)
  const response = await keys.send(`/api/v1/orgs/${org.orgId}/api-keys`, { caller })
  return response.json<{ data: ApiKeyView[] }>().data[0]?.last_used_at
}

test('a message of a connected reader counts as use of its key', async ({ keys }) => {
  const bus = await startBus()
  const { users, calloutKeys, url } = bus.server
  const { db } = keys.database.worker
  const use = new KeyUse(db)
  const config = {
    NATS_URL: url,
    NATS_USER: 'services',
    NATS_PASSWORD: users.services.password,
    NATS_SYSTEM_PASSWORD: users.system.password,
    CALLOUT_PASSWORD: users.callout.password,
    CALLOUT_ISSUER_SEED: calloutKeys.issuerSeed,
    CALLOUT_XKEY_SEED: calloutKeys.xkeySeed,
  } as Config
  const onMessages = (names: readonly string[]) => use.note(names)
  const brokers = openBrokers(config, { db, log: createLogger('keys', 'silent'), onMessages })
  await brokers.connected
  const org = await keys.signUp()
  const key = await keys.createKey(org, { scopes: ['scans:write'] })
  const login = () => connectReader({ url, clientId: key.client_id, clientSecret: key.client_secret })
  const quiet = await login()
  const reader = await login()
  await setLastUse(keys, key.jti) // both logins were an hour ago
  await quiet.close()
  await eventually(() => expect(brokers.hasConnections(key.jti)).toBe(true))
  await use.flush()
  expect(await lastUse(keys, org)).toBe(HOUR_AGO)
  await reader.store(`scans.${org.orgId}.dock.canonical`, Buffer.from('x'))
  await reader.close()
  await vi.waitFor(
    async () => {
      await use.flush()
      expect(Date.parse((await lastUse(keys, org)) ?? '')).toBeGreaterThan(Date.now() - 60_000)
    },
    { timeout: 5_000 },
  )
  await brokers.stopAnswering()
  await brokers.close()
  await bus.stop()
})

test('two replicas write the use of a key once in half a minute', async ({ keys }) => {
  const org = await keys.signUp()
  const { jti } = await usedLongAgo(keys, org)
  const replicas = [new KeyUse(keys.database.worker.db), new KeyUse(keys.database.worker.db)]
  const flushAll = async () => {
    for (const use of replicas) use.note([jti, 'services'])
    await Promise.all(replicas.map((use) => use.flush()))
  }
  await flushAll()
  const first = await lastUse(keys, org)
  expect(Date.parse(first ?? '')).toBeGreaterThan(Date.parse(HOUR_AGO))
  await flushAll()
  expect(await lastUse(keys, org)).toBe(first)
})

test('use that could not be written is written with the next turn', async ({ keys }) => {
  const org = await keys.signUp()
  const { jti } = await usedLongAgo(keys, org)
  const { db } = keys.database.worker
  let isReachable = false
  const use = new KeyUse(
    new Proxy(db, {
      get(target, name) {
        if (!isReachable) throw new Error('the database is not reachable')
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  )
  use.note([jti])
  await expect(use.flush()).rejects.toThrow('not reachable')
  isReachable = true
  await use.flush()
  expect(await lastUse(keys, org)).not.toBe(HOUR_AGO)
})

test('revoked and locked keys do not stop the others', async ({ keys }) => {
  const org = await keys.signUp()
  const [revoked, locked] = [await usedLongAgo(keys, org), await usedLongAgo(keys, org)]
  const other = await keys.signUp()
  const { jti } = await usedLongAgo(keys, other)
  await keys.send(`/api/v1/orgs/${org.orgId}/api-keys/${revoked.id}`, {
    method: 'DELETE',
    caller: keys.admin(org),
  })
  const use = new KeyUse(keys.database.worker.db)
  use.note([revoked.jti, locked.jti, jti])
  await keys.database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('api_key').select('id').where('jti', '=', locked.jti).forUpdate().execute()
    await use.flush()
  })
  expect(await lastUse(keys, other)).not.toBe(HOUR_AGO)
  expect(await lastUse(keys, org)).toBe(HOUR_AGO) // of the locked one; the revoked one is not listed
})

describe('ADR 109 the use of the key of a reader at the broker', () => {
  const useOf = async (keys: Keys, { orgId }: Org, reader_key = 'dock-1') =>
    (await answerReaderUse(keys.database.worker.db, { org_id: orgId, reader_key })).used_at

  test('is a login and what is sent, and not a token', async ({ keys }) => {
    const org = await keys.signUp()
    const key = await keys.createKey(org, { scopes: ['scans:write'], reader_key: 'dock-1' })
    expect((await keys.exchange(key)).statusCode).toBe(200)
    expect(await useOf(keys, org)).toBeNull()
    const { db } = keys.database.worker
    const use = new KeyUse(db)
    use.note([key.jti])
    await use.flush()
    const sent = await useOf(keys, org)
    expect(Date.parse(sent ?? '')).toBeGreaterThan(Date.parse(HOUR_AGO))
    await db.updateTable('api_key').set({ broker_used_at: HOUR_AGO }).where('jti', '=', key.jti).execute()
    const none = async () => undefined
    const connections = {
      of: () => 0,
      total: 0,
      expect: none,
      refresh: none,
      readerAccounts: 0,
      usersIn: () => [],
    }
    const login = { user: key.client_id, password: key.client_secret, clientType: 'mqtt', clientId: '' }
    expect(await decideLogin({ db, now: Date.now, connections })(login as never)).toHaveProperty('publish')
    expect(Date.parse((await useOf(keys, org)) ?? '')).toBeGreaterThan(Date.parse(HOUR_AGO))
  })

  test('is the newest of all keys of the reader in the organization', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const used = { scopes: ['scans:write' as const], reader_key: 'dock-1' }
    const all = [await keys.createKey(org, used), await keys.createKey(org, used)]
    const use = new KeyUse(keys.database.worker.db)
    use.note(all.map(({ jti }) => jti))
    await use.flush()
    const { db } = keys.database
    await db
      .updateTable('api_key')
      .set({ broker_used_at: HOUR_AGO })
      .where('jti', '=', all[0]?.jti ?? '')
      .execute()
    expect(await useOf(keys, org)).not.toBe(HOUR_AGO)
    await db
      .updateTable('api_key')
      .set({ revoked_at: HOUR_AGO })
      .where('jti', '=', all[1]?.jti ?? '')
      .execute()
    expect(await useOf(keys, org)).toBe(HOUR_AGO)
    expect([await useOf(keys, other), await useOf(keys, org, 'dock-2')]).toEqual([null, null])
  })
})

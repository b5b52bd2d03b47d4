import {
  connectReader,
  LoginRefusedError,
  type ReaderConnection,
} from '@whereabouts/messaging/readers/reader-connection'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { expect, vi } from 'vitest'
import { openBrokers } from '../../brokers.ts'
import { disconnectRevoked } from '../disconnects/disconnects.loop.ts'
import type { Config } from '../../config.ts'
import { test as base, type Key, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { createFloodGuard, type FloodGuard } from './flood-guard.ts'
import { findSuspension, purgeSuspensions, suspendKeys } from './suspensions.queries.ts'

const log = createLogger('keys', 'silent')
const SECONDS = { timeout: 5_000, interval: 20 }
const SMALL = Buffer.from('x')
const LARGE = Buffer.alloc(256 * 1_024)

/** The brokers and guard of one replica, or of two, with what they disconnected. */
type Guarded = {
  bus: Bus
  suspensions: number[]
  guards: FloodGuard[]
  /** Resolves when each guard has received that many more reports. */
  answered: (more: number) => Promise<void>
}

async function startGuard(bus: Bus, keys: Keys, onSuspension: () => void) {
  let answers = 0
  const { users, calloutKeys, url } = bus.server
  const config = {
    NATS_URL: url,
    NATS_USER: 'services',
    NATS_PASSWORD: users.services.password,
    NATS_SYSTEM_PASSWORD: users.system.password,
    CALLOUT_PASSWORD: users.callout.password,
    CALLOUT_ISSUER_SEED: calloutKeys.issuerSeed,
    CALLOUT_XKEY_SEED: calloutKeys.xkeySeed,
  } as Config
  const db = keys.database.worker.db
  const brokers = openBrokers(config, {
    db,
    log,
    onSent: (sent) => guard.take(sent),
    onRatesAnswer: () => (answers += 1),
  })
  const guard = createFloodGuard({
    db,
    log,
    disconnect: brokers.disconnect,
    isConnected: (user) => brokers.hasConnections(user),
    onSuspension,
  })
  await brokers.connected
  const stop = async () => {
    await brokers.stopAnswering()
    await guard.idle()
    await brokers.close()
  }
  const answered = async (more: number) => {
    const wanted = answers + more
    await vi.waitFor(() => expect(answers).toBeGreaterThanOrEqual(wanted), SECONDS)
  }
  return { guard, stop, answered }
}

const test = base.extend<{ replicas: number; guarded: Guarded }>({
  replicas: 1,
  guarded: async ({ keys, replicas }, use) => {
    const bus = await startBus()
    const suspensions = Array.from({ length: replicas }, () => 0)
    const started = await Promise.all(
      suspensions.map((_, n) => startGuard(bus, keys, () => (suspensions[n] = (suspensions[n] ?? 0) + 1))),
    )
    await use({
      bus,
      suspensions,
      guards: started.map(({ guard }) => guard),
      answered: async (more) => void (await Promise.all(started.map((one) => one.answered(more)))),
    })
    await Promise.all(started.map(({ stop }) => stop()))
    await bus.stop()
  },
})

const newKey = (keys: Keys, org: Org) => keys.createKey(org, { scopes: ['scans:write'] })

const login = (
  bus: Bus,
  { client_id: clientId, client_secret: clientSecret }: Key,
): Promise<ReaderConnection> => connectReader({ url: bus.server.url, clientId, clientSecret })

/** Publishes as fast as the broker accepts, until it ends the connection. Returns the milliseconds. */
async function flood(reader: ReaderConnection, subject: string): Promise<number> {
  const started = performance.now()
  let isOpen = true
  const closed = reader.closed.then(() => (isOpen = false))
  while (isOpen && performance.now() - started < 10_000) {
    for (let n = 0; n < 16; n += 1) reader.publish(subject, LARGE)
    // Waits for the reply to one more message, which shows that the broker has read the others.
    await Promise.race([reader.store(subject, LARGE).catch(() => undefined), closed])
  }
  return performance.now() - started
}

const rowOf = async (keys: Keys, { jti }: Key) =>
  keys.database.db.selectFrom('reader_suspension').selectAll().where('jti', '=', jti).executeTakeFirst()

/** Ends the suspension and moves it into the past. */
const longAgo = (keys: Keys, { jti }: Key, seconds: number) =>
  keys.database.pool.query(
    `update reader_suspension set until = now(), suspended_at = now() - make_interval(secs => $2) where jti = $1`,
    [jti, seconds],
  )

const suspend = (keys: Keys, { jti }: Key) =>
  keys.database.worker.db.transaction().execute((tx) => suspendKeys(tx, [jti]))

test('a flooding reader is disconnected and refused', async ({ keys, guarded: { bus, suspensions } }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const [key, second, theirs] = [await newKey(keys, org), await newKey(keys, org), await newKey(keys, other)]
  const [nc, ncSecond, ncTheirs] = [await login(bus, key), await login(bus, second), await login(bus, theirs)]
  const tookMs = await flood(nc, `scans.${org.orgId}.dock.canonical`)
  expect(tookMs).toBeLessThan(2_000)
  await expect(login(bus, key)).rejects.toThrow(LoginRefusedError)
  for (const [one, orgId] of [
    [ncSecond, org.orgId],
    [ncTheirs, other.orgId],
  ] as const)
    await vi.waitFor(() => one.store(`scans.${orgId}.dock.canonical`, SMALL), SECONDS)
  expect(suspensions).toEqual([1])
  await longAgo(keys, key, 30)
  const again = await login(bus, key)
  await Promise.all([again.close(), ncSecond.close(), ncTheirs.close()])
})

test('a burst within the allowance stays connected', async ({ keys, guarded: { bus, guards, answered } }) => {
  const org = await keys.signUp()
  const key = await newKey(keys, org)
  const reader = await login(bus, key)
  const subject = `scans.${org.orgId}.dock.canonical`
  for (let n = 0; n < 3_500; n += 1) reader.publish(subject, SMALL)
  await reader.store(subject, SMALL)
  await answered(4)
  await Promise.all(guards.map((guard) => guard.idle()))
  await reader.store(subject, SMALL)
  expect(await rowOf(keys, key)).toBeUndefined()
  await reader.close()
})

test.describe('two replicas', () => {
  test.override({ replicas: 2 })
  test('count one strike', async ({ keys, guarded: { bus, suspensions, guards } }) => {
    const org = await keys.signUp()
    const key = await newKey(keys, org)
    await flood(await login(bus, key), `scans.${org.orgId}.dock.canonical`)
    await Promise.all(guards.map((guard) => guard.idle()))
    expect(suspensions.reduce((sum, one) => sum + one)).toBe(1)
    expect(await rowOf(keys, key)).toMatchObject({ strikes: 1 })
  })
})

test('each suspension within an hour doubles, up to ten minutes', async ({ keys }) => {
  const key = await newKey(keys, await keys.signUp())
  const lengths: number[] = []
  const secondsOf = async () => {
    const row = await rowOf(keys, key)
    return Math.round((Date.parse(row?.until ?? '') - Date.parse(row?.suspended_at ?? '')) / 1_000)
  }
  for (let n = 0; n < 7; n += 1) {
    expect(await suspend(keys, key)).toHaveLength(1)
    expect(await suspend(keys, key)).toEqual([]) // once at a time
    lengths.push(await secondsOf())
    await longAgo(keys, key, 60)
  }
  expect(lengths).toEqual([30, 60, 120, 240, 480, 600, 600])
  await longAgo(keys, key, 3_601)
  await suspend(keys, key)
  expect(await secondsOf()).toBe(30)
})

test('all keys of an organization that floods with five are refused', async ({ keys, guarded: { bus } }) => {
  const org = await keys.signUp()
  const [flooding, quiet] = [await newKey(keys, org), await newKey(keys, org)]
  for (let n = 0; n < 4; n += 1) await suspend(keys, await newKey(keys, org))
  const open = await login(bus, quiet) // four are too few
  await flood(await login(bus, flooding), `scans.${org.orgId}.dock.canonical`)
  await open.closed
  await expect(login(bus, quiet)).rejects.toThrow(LoginRefusedError)
})

test('of concurrent suspensions of a key, one succeeds', async ({ keys }) => {
  const key = await newKey(keys, await keys.signUp())
  const all = await Promise.all(Array.from({ length: 5 }, () => suspend(keys, key)))
  expect(all.flat()).toMatchObject([{ jti: key.jti, strikes: 1 }])
})

test('logins in flight are disconnected once, four seconds later', async ({ keys }) => {
  const key = await newKey(keys, await keys.signUp())
  await suspend(keys, key)
  const users: string[] = []
  const turn = () =>
    disconnectRevoked({ db: keys.database.worker.db, log, disconnect: async (user) => users.push(user) })
  await turn()
  expect(users).not.toContain(key.jti)
  await keys.database.pool.query(
    `update pending_disconnect set created_at = created_at - interval '4 seconds',
       next_at = next_at - interval '4 seconds' where jti = $1`,
    [key.jti],
  )
  await turn()
  await turn()
  expect(users.filter((user) => user === key.jti)).toHaveLength(1)
})

test('a revocation ends a suspension and prevents the next', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await newKey(keys, org)
  await suspend(keys, key)
  const path = `/api/v1/orgs/${org.orgId}/api-keys/${key.id}`
  const answer = await keys.send(path, { method: 'DELETE', caller: keys.admin(org) })
  expect(answer.statusCode).toBe(204)
  expect(await rowOf(keys, key)).toBeUndefined()
  expect(await suspend(keys, key)).toEqual([])
})

test('suspensions that no longer count are purged', async ({ keys }) => {
  const { db } = keys.database.worker
  const orgs = [await keys.signUp(), await keys.signUp()] as const
  const [kept, gone] = [await newKey(keys, orgs[0]), await newKey(keys, orgs[1])]
  for (const key of [kept, gone]) await suspend(keys, key)
  await longAgo(keys, kept, 3_000)
  await longAgo(keys, gone, 3_601)
  await purgeSuspensions(db, 1_000)
  expect([await rowOf(keys, kept), await rowOf(keys, gone)]).toMatchObject([{ jti: kept.jti }, undefined])
  expect(await findSuspension(db, orgs[0].orgId, kept.jti)).toBeUndefined() // over
})

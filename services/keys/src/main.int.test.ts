import { eventually } from '@whereabouts/testing/eventually'
import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { KeyState, OrgState } from '@whereabouts/contracts/messages/keys-state'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { Session } from '@whereabouts/contracts/resources/keys/tokens'
import { connect, type Broker } from '@whereabouts/messaging/connect/connection'
import { followStream } from '@whereabouts/messaging/state/follow'
import { publish } from '@whereabouts/messaging/messages/publish'
import { signGateway } from '@whereabouts/service-kit/http/principal'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { expect, test as base, vi } from 'vitest'
import { z } from 'zod'
import { hashSecret, newClientSecret } from './credentials/secrets.ts'

const SignedUp = z.object({ data: Session })
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))

type Service = { child: ChildProcess; output: () => string; api: string; ops: string; exit: Promise<unknown> }

const test = base.extend<{
  bus: Bus
  database: ServiceDatabase<unknown>
  /** Starts the program, which is killed with the test unless it has ended. `settings` replace variables. */
  startService: (settings?: Record<string, string>) => Promise<Service>
}>({
  bus: [
    async ({}, use) => {
      const bus = await startBus()
      await use(bus)
      await bus.stop()
    },
    { scope: 'file' },
  ],
  database: [
    async ({}, use) => {
      const database = await createServiceDatabase('keys', MIGRATIONS)
      await use(database)
      await database.drop()
    },
    { scope: 'file' },
  ],
  startService: async ({ bus, database }, use) => {
    const started: Service[] = []
    await use(async (settings = {}) => {
      const service = await spawnService({ ...(await environment(bus, database)), ...settings })
      started.push(service)
      return service
    })
    for (const { child, exit } of started) {
      child.kill('SIGKILL')
      await exit
    }
  },
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await once(server.close(), 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

const gateway = generateKeyPairSync('ed25519')
const gatewayPublicKey = gateway.publicKey
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64url')

const key32 = () => randomBytes(32).toString('base64url')

async function environment(bus: Bus, database: ServiceDatabase<unknown>): Promise<Record<string, string>> {
  const { users, calloutKeys, url } = bus.server
  return {
    ENVIRONMENT: 'local',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    OPS_PORT: String(await freePort()),
    DATABASE_URL: database.url,
    NATS_URL: url,
    NATS_PASSWORD: users.services.password,
    PRINCIPAL_PUBLIC_KEY: gatewayPublicKey,
    SIGNING_KEY_SECRET: signingKeySecret,
    CALLOUT_PASSWORD: users.callout.password,
    CALLOUT_ISSUER_SEED: calloutKeys.issuerSeed,
    CALLOUT_XKEY_SEED: calloutKeys.xkeySeed,
    NATS_SYSTEM_PASSWORD: users.system.password,
    LOG_LEVEL: 'info',
  }
}
const signingKeySecret = key32()

async function spawnService(env: Record<string, string>): Promise<Service> {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exit = once(child, 'exit').then(([code]: unknown[]) => code)
  return {
    child,
    output: () => output,
    api: `http://127.0.0.1:${env['PORT']}`,
    ops: `http://127.0.0.1:${env['OPS_PORT']}`,
    exit,
  }
}

const readiness = async ({ ops }: Service) => {
  const reply = await fetch(`${ops}/readyz`)
  return { status: reply.status, ...((await reply.json()) as object) }
}

const untilReady = (service: Service, broker = true) =>
  vi.waitFor(
    async () => expect(await readiness(service)).toMatchObject({ status: 200, optional: { broker } }),
    {
      timeout: 15_000,
      interval: 50,
    },
  )

async function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Inserts a key as createApiKey does, which would need a gateway. */
async function insertKey(
  database: ServiceDatabase<unknown>,
  secretHash: Buffer,
): Promise<{ org: number; jti: string }> {
  const { rows } = await database.pool.query<{ org: number; jti: string }>(
    `with o as (insert into org (name) values ('Acme') returning id)
     insert into api_key (org_id, name, scopes, secret_hash)
     select id, 'Dock', '{scans:write}', $1 from o returning org_id as org, jti`,
    [secretHash],
  )
  const [row] = rows
  if (!row) throw new Error('no key')
  return row
}

test('a bad configuration exits with 78 and names every bad variable', async ({ startService }) => {
  const { exit, output } = await startService({ CALLOUT_XKEY_SEED: 'hunter2', DATABASE_URL: '' })
  expect(await exit).toBe(78)
  expect(output()).toContain('CALLOUT_XKEY_SEED')
  expect(output()).toContain('DATABASE_URL')
  expect(output()).not.toContain('hunter2')
})

test('the service publishes what it commits, also after SIGTERM', async ({ bus, database, startService }) => {
  const service = await startService()
  await untilReady(service)
  const seen = new Map<string, unknown>()
  const follower = followStream(bus.broker, {
    stream: 'KEYS',
    onState: (subject, payload) => seen.set(subject, payload),
    logger: bus.logger,
  })
  const body = { org_name: 'Acme', name: 'Ada', email: 'ada@example.com', password: 'long enough 1' }
  const response = await post(`${service.api}/api/v1/auth/signup`, body)
  const { data } = SignedUp.parse(await response.json())
  await eventually(() => expect(seen.get(`keys.org.${data.org.id}`)).toMatchObject({ name: 'Acme' }))
  expect((await fetch(`${service.api}/.well-known/jwks.json`)).status).toBe(200)
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  const { rows } = await database.pool.query('select * from outbox')
  expect(rows).toEqual([])
  await follower.stop()
})

test('it starts and answers without the broker', async ({ startService }) => {
  const service = await startService({ NATS_URL: 'nats://127.0.0.1:1' })
  await untilReady(service, false)
  const body = { org_name: 'Alone', name: 'Ann', email: 'ann@example.com', password: 'long enough 1' }
  expect((await post(`${service.api}/api/v1/auth/signup`, body)).status).toBe(201)
})

test('an overwritten state in the stream is published again', async ({ bus, startService }) => {
  const service = await startService()
  await untilReady(service)
  const body = { org_name: 'Heal', name: 'Hal', email: 'hal@example.com', password: 'long enough 1' }
  const { data } = SignedUp.parse(await (await post(`${service.api}/api/v1/auth/signup`, body)).json())
  const orgId = data.org.id
  const states: unknown[] = []
  const follower = followStream(bus.broker, {
    stream: 'KEYS',
    filter: `keys.org.${orgId}`,
    owner: republishKeysState.subject,
    onState: (_subject, payload) => void states.push(OrgState.parse(payload)),
    logger: bus.logger,
  })
  await eventually(() => expect(states).toMatchObject([{ name: 'Heal' }]))
  // Looks like an acknowledgement of the broker.
  await publish(bus.broker, { subject: `keys.org.${orgId}`, payload: { stream: 'SCANS', seq: 48 } })
  await vi.waitFor(() => expect(states).toMatchObject([{ name: 'Heal' }, { name: 'Heal' }]), {
    timeout: 10_000,
  })
  await follower.stop()
})

test('a reader is disconnected when its key is revoked', async ({ bus, database, startService }) => {
  const service = await startService()
  await untilReady(service)
  const secret = newClientSecret()
  const { org, jti } = await insertKey(database, hashSecret(secret))
  const login = () =>
    connect({
      url: bus.server.url,
      user: jti,
      password: secret,
      name: 'reader',
      inboxPrefix: `_INBOX.${jti}`,
      logger: bus.logger,
      firstConnectMs: 0,
    })
  const reader: Broker = await login()
  await publish(reader, { subject: `scans.${org}.dock.canonical`, payload: {} })
  // Commits what a replica commits that revokes and then dies.
  await database.pool.query(
    `with k as (update api_key set revoked_at = clock_timestamp() where jti = $1 returning jti)
     insert into pending_disconnect (jti) select jti from k`,
    [jti],
  )
  await vi.waitFor(() => expect(reader.isConnected()).toBe(false), { timeout: 5_000 })
  await expect(login()).rejects.toThrow('cannot connect to the broker')
  await reader.close()
  expect((await fetch(`${service.api}/internal/keys/${jti}`)).status).toBe(401)
  const credential = await signGateway(gateway.privateKey, Math.floor(Date.now() / 1000) + 60, 'keys')
  const headers = { [PRINCIPAL_HEADER]: credential }
  const state = await fetch(`${service.api}/internal/keys/${jti}`, { headers })
  expect(KeyState.parse(await state.json()).revoked_at).not.toBeNull()
})

import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { orgState } from '@whereabouts/contracts/messages/keys-state'
import { publish } from '@whereabouts/messaging/publish'
import type { Bus } from '@whereabouts/testing/bus'
import { busTest } from '@whereabouts/testing/broker-fixtures'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database'
import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { addWebhook, movedEvent, SECRET, secretKeys } from '../test/attempts.fixture.ts'
import type { Tables } from './db.ts'
import { openSecret, type SecretKeys } from './webhooks/secrets.ts'
import { findTarget } from './webhooks/webhooks.queries.ts'

const test = busTest.override({ topology: { ackWaitMs: 2_000 } })
const SOON = { timeout: 15_000 }
const ORG = 1

let database: ServiceDatabase<Tables>
let receiver: Receiver
let home: string
let started: ChildProcess[] = []

beforeAll(async () => {
  database = await createServiceDatabase<Tables>('webhooks', join(import.meta.dirname, '../migrations'))
})
afterAll(async () => {
  await database.drop()
})
beforeEach(async () => {
  receiver = await startReceiver()
  home = mkdtempSync(join(tmpdir(), 'dispatcher-'))
  writeFileSync(join(home, 'ca.pem'), receiver.ca)
  await database.db.deleteFrom('webhook').execute()
  await addWebhook(database.db, ORG, receiver.url)
})
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL')
  started = []
  await receiver.close()
  rmSync(home, { recursive: true })
})

const asSetting = (keys: SecretKeys) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64url')}`).join(',')

/** What keys has published: without it nothing is delivered. */
async function tellOfOrganization(bus: Bus): Promise<void> {
  const payload = { org_id: ORG, revision: 1, name: 'Org', subscription_ends_at: null }
  await publish(bus.broker, { subject: orgState.subject(payload), payload })
}

/** The service as a process of its own, ready. */
async function startService(bus: Bus, env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  await tellOfOrganization(bus)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ENVIRONMENT: 'local',
      HOST: '127.0.0.1',
      PORT: '0',
      OPS_PORT: '0',
      DATABASE_URL: database.url,
      NATS_URL: bus.server.url,
      NATS_PASSWORD: bus.server.users.services.password,
      PRINCIPAL_PUBLIC_KEY: randomBytes(32).toString('base64url'),
      WEBHOOK_SECRET_KEYS: asSetting(secretKeys),
      ALLOW_PRIVATE_TARGETS: 'true',
      NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
      ...env,
    },
  })
  started.push(child)
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await expect.poll(() => log, SOON).toContain('caught up with the stream')
  return child
}

const send = (bus: Bus, event = movedEvent(ORG)) =>
  publish(bus.broker, { subject: assetMoved.subject(event), payload: event, msgId: event.delivery_id })

const receivedIds = () => receiver.received.map(({ headers }) => headers['x-service-delivery'])

test('killed in the middle of an attempt, the delivery comes again under the same id', async ({ bus }) => {
  receiver.respondWith(() => {})
  const doomed = await startService(bus)
  const event = movedEvent(ORG)
  await send(bus, event)
  await expect.poll(receivedIds, SOON).toEqual([event.delivery_id])
  const died = once(doomed, 'exit')
  doomed.kill('SIGKILL')
  await died
  receiver.respondWith((_, response) => void response.writeHead(204).end())
  await startService(bus)
  await expect.poll(receivedIds, SOON).toEqual([event.delivery_id, event.delivery_id])
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body)
})

test('SIGTERM lets the attempt in flight end, and the process ends with 0', async ({ bus }) => {
  const held = Promise.withResolvers<void>()
  receiver.respondWith((_, response) => void held.promise.then(() => response.writeHead(204).end()))
  const child = await startService(bus)
  await send(bus)
  await expect.poll(() => receiver.received.length, SOON).toBe(1)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  held.resolve()
  expect(await exited).toEqual([0, null])
  const rows = await database.db.selectFrom('delivery_attempt').select('outcome').execute()
  expect(rows.at(-1)).toEqual({ outcome: 'delivered' })
})

test('proxies of the environment are ignored: they would connect to what nobody has checked', async ({
  bus,
}) => {
  let connections = 0
  const proxy = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
  await startService(bus, {
    ...Object.fromEntries(names.map((name) => [name, url])),
    NODE_USE_ENV_PROXY: '1',
  })
  const event = movedEvent(ORG)
  await send(bus, event)
  await expect.poll(receivedIds, SOON).toEqual([event.delivery_id])
  expect(connections).toBe(0)
  proxy.close()
})

test('started with a new first key, it re-encrypts every secret and goes on signing', async ({ bus }) => {
  const next = { id: 'k2', key: randomBytes(32) }
  await startService(bus, { WEBHOOK_SECRET_KEYS: asSetting([next, ...secretKeys]) })
  const sealed = async () => {
    const target = await findTarget(database.db, ORG)
    return target?.secret_key_id === next.id && openSecret([next], ORG, target)
  }
  await expect.poll(sealed, SOON).toBe(SECRET)
  await send(bus)
  await expect.poll(() => receiver.received.length, SOON).toBe(1)
})

test('two replicas share the work; one that is stopped leaves nothing undone and nothing done twice', async ({
  bus,
}) => {
  receiver.respondWith((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 20)
  })
  const [leaving] = await Promise.all([startService(bus), startService(bus)])
  const events = Array.from({ length: 300 }, () => movedEvent(ORG))
  await Promise.all(events.map((event) => send(bus, event)))
  await expect.poll(() => receiver.received.length, SOON).toBeGreaterThan(20)
  const exited = once(leaving, 'exit')
  leaving.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  await expect.poll(() => new Set(receivedIds()).size, SOON).toBe(events.length)
  expect(receivedIds()).toHaveLength(events.length)
})

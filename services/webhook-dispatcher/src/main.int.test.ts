import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assetMoved, type AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { orgState } from '@whereabouts/contracts/messages/keys-state'
import { publish } from '@whereabouts/messaging/messages/publish'
import type { Bus } from '@whereabouts/testing/broker/bus'
import type { ServiceDatabase } from '@whereabouts/testing/database/database'
import { describe, expect } from 'vitest'
import {
  addWebhook,
  deliveryRows,
  movedEvent,
  receivedIds,
  SECRET,
  secretKeys,
  test as dispatcherTest,
  webhookOf,
} from '../test/dispatcher.fixture.ts'
import type { Tables } from './db.ts'
import { openSecret, type SecretKeys } from './webhooks/secrets.ts'

const SOON = { timeout: 15_000 }
/** A loaded machine needs long to start a process. */
const START_MS = 60_000
const PATIENT = { timeout: 3 * START_MS }
const READY = 'caught up with the stream'

type Service = {
  stop(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Exit code and signal, once the process has ended. */
  exited: Promise<unknown[]>
}

const test = dispatcherTest.extend<{
  /**
   * Starts the service as a process of its own and waits until it is ready, or until its log has `until`. `orgId` has a
   * webhook.
   */
  startService: (settings?: NodeJS.ProcessEnv, until?: string) => Promise<Service>
}>({
  startService: async ({ bus, database, orgId, receiver }, use) => {
    await addWebhook(database.db, orgId, receiver.url)
    const started: Service[] = []
    const home = mkdtempSync(join(tmpdir(), 'dispatcher-'))
    const caFile = join(home, 'ca.pem')
    writeFileSync(caFile, receiver.ca)
    await use(async (settings, until) => {
      await publishOrg(bus, orgId)
      const env = { ...environment(bus, database), NODE_EXTRA_CA_CERTS: caFile, ...settings }
      const service = spawnService(env, until)
      started.push(service)
      await service.ready
      return service
    })
    for (const service of started) service.stop('SIGKILL')
    await Promise.all(started.map((service) => service.exited))
    rmSync(home, { recursive: true })
  },
})

const asSetting = (keys: SecretKeys) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64url')}`).join(',')

/** Publishes what keys publishes. Without it, nothing is delivered. */
async function publishOrg({ broker }: Bus, org_id: number): Promise<void> {
  const payload = { org_id, revision: 1, name: 'Org', subscription_ends_at: null }
  await publish(broker, { subject: orgState.subject(payload), payload })
}

const environment = (bus: Bus, database: ServiceDatabase<Tables>): NodeJS.ProcessEnv => ({
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
})

/** `ready` rejects with the log so far if the process exits first, or is not ready in time. */
function spawnService(env: NodeJS.ProcessEnv, until = READY): Service & { ready: Promise<void> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  child.stderr.pipe(process.stderr)
  const exited = once(child, 'exit')
  let log = ''
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`the service ${reason}. Its log:\n${log}`))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        log += chunk.toString()
        if (log.includes(until)) resolve()
      })
    child.on('close', (code, signal) => fail(`ended with ${code ?? signal} before it was ready`))
    setTimeout(() => fail(`was not ready after ${START_MS} ms`), START_MS).unref()
  })
  return { ready, exited, stop: (signal) => void child.kill(signal) }
}

const send = ({ broker }: Bus, event: AssetMoved) =>
  publish(broker, { subject: assetMoved.subject(event), payload: event, msgId: event.delivery_id })

describe('with a broker that waits two seconds for an acknowledgement', () => {
  test.override({ topology: { ackWaitMs: 2_000 } })

  test(
    'after a SIGKILL during an attempt, the delivery is sent again under the same id',
    PATIENT,
    async ({ bus, receiver, orgId, startService }) => {
      receiver.respondWith(() => {})
      const doomed = await startService()
      const event = movedEvent(orgId)
      await send(bus, event)
      await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id])
      doomed.stop('SIGKILL')
      await doomed.exited
      receiver.respondWith((_, response) => void response.writeHead(204).end())
      await startService()
      await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id, event.delivery_id])
      expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body)
    },
  )
})

test(
  'SIGTERM lets the running attempt end, and the process exits with 0',
  PATIENT,
  async ({ bus, database, receiver, orgId, startService }) => {
    const held = Promise.withResolvers<void>()
    receiver.respondWith((_, response) => void held.promise.then(() => response.writeHead(204).end()))
    const child = await startService()
    await send(bus, movedEvent(orgId))
    await expect.poll(() => receiver.received.length, SOON).toBe(1)
    child.stop('SIGTERM')
    held.resolve()
    expect(await child.exited).toEqual([0, null])
    expect(await deliveryRows(database.db, orgId)).toMatchObject([{ state: 'delivered' }])
  },
)

test('SIGTERM while the broker is away ends the process with 0', PATIENT, async ({ startService }) => {
  const service = await startService({ NATS_URL: 'nats://127.0.0.1:1' }, 'broker not reachable yet')
  service.stop('SIGTERM')
  expect(await service.exited).toEqual([0, null])
})

test(
  'proxies of the environment are ignored, because they would connect to unchecked addresses',
  PATIENT,
  async ({ bus, receiver, orgId, startService }) => {
    let connections = 0
    const proxy = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
    await startService({
      ...Object.fromEntries(names.map((name) => [name, url])),
      NODE_USE_ENV_PROXY: '1',
    })
    const event = movedEvent(orgId)
    await send(bus, event)
    await expect.poll(() => receivedIds(receiver), SOON).toEqual([event.delivery_id])
    expect(connections).toBe(0)
    proxy.close()
  },
)

test(
  'with a new first key, the service re-encrypts every secret and still signs',
  PATIENT,
  async ({ bus, database, receiver, orgId, startService }) => {
    const next = { id: 'k2', key: randomBytes(32) }
    await startService({ WEBHOOK_SECRET_KEYS: asSetting([next, ...secretKeys]) })
    const sealed = async () => {
      const target = await webhookOf(database.db, orgId)
      return target?.secret_key_id === next.id && openSecret([next], orgId, target)
    }
    await expect.poll(sealed, SOON).toBe(SECRET)
    await send(bus, movedEvent(orgId))
    await expect.poll(() => receiver.received.length, SOON).toBe(1)
  },
)

test(
  'two replicas share the work; if one stops, every delivery is sent once',
  PATIENT,
  async ({ bus, receiver, orgId, startService }) => {
    receiver.respondWith((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 20)
    })
    const [leaving] = await Promise.all([startService(), startService()])
    const events = Array.from({ length: 300 }, () => movedEvent(orgId))
    await Promise.all(events.map((event) => send(bus, event)))
    await expect.poll(() => receiver.received.length, SOON).toBeGreaterThan(20)
    leaving.stop('SIGTERM')
    expect(await leaving.exited).toEqual([0, null])
    await expect.poll(() => new Set(receivedIds(receiver)).size, SOON).toBe(events.length)
    expect(receivedIds(receiver)).toHaveLength(events.length)
  },
)

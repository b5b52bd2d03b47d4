import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startClusterSystem, type ClusterSystem } from '../system/cluster.ts'
import { mintKey, newLocation, newOrganization, newReader } from '../system/organization.ts'
import { connectReader, type Transport } from '../system/readers.ts'

let system: ClusterSystem
beforeAll(async () => {
  system = await startClusterSystem()
})
afterAll(() => system.stop())

/** The certificate that a new connection gets. A NATS server says something first, before the encryption begins. */
async function served(url: string): Promise<string | undefined> {
  const { port, protocol } = new URL(url)
  const plain = connectTcp(Number(port), '127.0.0.1')
  if (protocol === 'tls:') await once(plain, 'data')
  const socket = connectTls({ socket: plain, host: '127.0.0.1', ca: system.ca })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()
  socket.destroy()
  return certificate?.fingerprint256
}

const servedByAll = async () => {
  const addresses = system.cluster.members.flatMap(({ url, mqttUrl }) => [url, mqttUrl])
  return new Set(await Promise.all(addresses.map((url) => served(url))))
}

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256

const published = { nats: 0, mqtt: 0 }
const unanswered = { nats: 0, mqtt: 0 }

/** A message without an acknowledgement is sent again, as every reader does. A second failure fails the test. */
async function acknowledged(transport: Transport, send: () => Promise<void>): Promise<void> {
  await send().catch(async () => {
    unanswered[transport] += 1
    await send()
  })
}

/** Publishes until `stop`, each message after the acknowledgement of the one before. */
async function publish(transport: Transport, stop: AbortSignal): Promise<void> {
  const org = await newOrganization(system.stack, `certificates-${transport}`)
  await newReader(org, { key: 'dock', format: 'canonical', locationId: await newLocation(org, 'DOCK', 'DOCK'), antennas: 1 }) // oxfmt-ignore
  const key = await mintKey(org.admin, org.id, transport, ['scans:write'])
  const urls = { nats: system.cluster.url, mqtt: system.cluster.members[0]!.mqttUrl }
  const link = await connectReader({ urls, ca: system.ca }, key, transport)
  for (; !stop.aborted; published[transport] += 1) {
    const reads = [{ tag: { type: 'barcode', value: 'BOX' }, read_at: new Date().toISOString() }]
    const bytes = Buffer.from(JSON.stringify({ reads }))
    await acknowledged(transport, () => link.publish(org.id, 'dock', 'canonical', bytes))
    await delay(10)
  }
  await link.close()
}

const fewest = () => Math.min(published.nats, published.mqtt)

test('brokers serve a renewed certificate over NATS and MQTT, every message is acknowledged and no connection closes', async () => {
  const changes: string[] = []
  void (async () => {
    for await (const { type } of system.nc.status()) changes.push(type)
  })()
  const end = new AbortController()
  const traffic = Promise.all([publish('nats', end.signal), publish('mqtt', end.signal)])
  await expect.poll(fewest, { timeout: 30_000 }).toBeGreaterThan(10)
  const old = await servedByAll()
  const renewed = fingerprint((await system.renewCertificate()).cert)
  expect(old).not.toContain(renewed)
  await expect.poll(servedByAll, { timeout: 30_000, interval: 500 }).toEqual(new Set([renewed]))
  const before = fewest()
  await expect.poll(fewest, { timeout: 30_000 }).toBeGreaterThan(before + 10)
  end.abort()
  await traffic
  expect(changes).not.toContain('disconnect')
  expect(unanswered.mqtt).toBe(0)
  // A reload rebuilds the accounts, so an acknowledgement that is on its way between two accounts may get lost.
  expect(unanswered.nats).toBeLessThanOrEqual(system.cluster.members.length)
}, 120_000)

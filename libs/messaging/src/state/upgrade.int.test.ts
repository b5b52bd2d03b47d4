import { eventually } from '@whereabouts/testing/eventually'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connectAsync } from 'mqtt'
import type { ConsumerConfig, StreamConfig } from 'nats'
import { startBroker, type TestBroker } from '@whereabouts/testing/broker/broker'
import { logKeeper } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { expect, test, vi } from 'vitest'
import { serveLogins, type Grant, type Login } from '../readers/callout.ts'
import { connect, natsOf, type Broker } from '../connect/connection.ts'
import { consumeBatches } from '../consume/consume.ts'
import { publish } from '../messages/publish.ts'
import { applyTopology, hasOlderMqttCopies, type DurableName } from '../connect/topology.ts'

// Configuration and streams of the broker in the last release without accounts for readers.
const OLDER = resolve(import.meta.dirname, '../../../../test/fixtures/upgrade/a9c9e49')
type Recorded = { stream: StreamConfig; durables: ConsumerConfig[] }
const recorded = () => JSON.parse(readFileSync(join(OLDER, 'streams.json'), 'utf8')) as Recorded[]

const { logger } = logKeeper()

const logIn = (server: TestBroker, user: keyof TestBroker['users']) =>
  connect({ url: server.url, ...server.users[user], name: 'test', logger })

/**
 * Accepts every login as a reader of organization 7: in the account APP, like that release, or in an account for
 * readers.
 */
async function letReadersIn(server: TestBroker, grant: (login: Login) => Grant) {
  const callout = await logIn(server, 'callout')
  const answerer = serveLogins(callout, server.calloutKeys, async (login) => grant(login), logger)
  await natsOf(callout).flush()
  return { stop: () => answerer.stop().then(() => callout.close()) }
}

const asBefore = (login: Login): Grant => ({
  ...readerGrant(login, 7),
  account: 'APP',
  subscribe: [`_INBOX.${login.user}.>`],
})

/** Sends two messages as a reader over MQTT that keeps its session. */
async function sendOverMqtt(server: TestBroker, from: number) {
  const mqtt = await connectAsync(server.mqttUrl, {
    protocolVersion: 4,
    username: 'k7',
    password: 'x',
    clientId: '7-gate',
    clean: false,
    reconnectPeriod: 0,
  })
  for (const n of [from, from + 1]) await mqtt.publishAsync('scans/7/mqtt/canonical', String(n), { qos: 1 })
  await mqtt.endAsync()
}

/** Consumes a durable and collects the bodies. */
function reading(broker: Broker, durable: DurableName) {
  const bodies: string[] = []
  const consumption = consumeBatches(
    broker,
    {
      durable,
      maxMessages: 100,
      maxWaitMs: 5,
      retryDelaysMs: [1_000],
      decode: ({ data }) => Buffer.from(data).toString(),
      async handle(messages) {
        bodies.push(...messages)
      },
    },
    { logger },
  )
  return { bodies, stop: () => consumption.stop() }
}

/** Creates the streams and durables of that release. */
async function declareOlder(server: TestBroker): Promise<Broker> {
  const broker = await logIn(server, 'services')
  const jsm = await natsOf(broker).jetstreamManager()
  for (const { stream, durables } of recorded()) {
    await jsm.streams.add(stream)
    for (const durable of durables) await jsm.consumers.add(stream.name, durable)
  }
  return broker
}

test('an upgrade loses no scan that was sent before or during it, over NATS and MQTT', async () => {
  const server = await startBroker({ config: readFileSync(join(OLDER, 'nats.conf'), 'utf8') })
  try {
    const before = await declareOlder(server)
    await publish(before, { subject: 'catalog.asset.7.1', payload: 'a state' })
    await publish(before, { subject: 'dead.SCANS.tracking-ingest', payload: 'x', headers: { reason: 'r' } })
    const older = await letReadersIn(server, asBefore)
    await publish(before, { subject: 'scans.7.dock.canonical', payload: 1 })
    // The first is read before the upgrade; the rest waits.
    const first = reading(before, 'tracking-ingest')
    await eventually(() => expect(first.bodies).toEqual(['1']))
    await first.stop()
    await publish(before, { subject: 'scans.7.dock.canonical', payload: 2 })
    await sendOverMqtt(server, 3)
    // Acknowledged once the copy is stored; the scan itself may follow a moment later.
    const jsm = await natsOf(before).jetstreamManager()
    await eventually(async () => expect((await jsm.streams.info('SCANS')).state.last_seq).toBe(4))
    await older.stop()
    await before.close()

    await server.restart()
    const brokers = { APP: await logIn(server, 'services'), MQTT: await logIn(server, 'mqtt-services') }
    await applyTopology(brokers)
    // A replica of the earlier release answers logins for a while, then a new one takes over.
    const replica = await letReadersIn(server, asBefore)
    await sendOverMqtt(server, 5)
    await replica.stop()
    await letReadersIn(server, (login) => readerGrant(login, 7))
    await sendOverMqtt(server, 7)

    expect(await hasOlderMqttCopies(brokers.APP)).toBe(true)
    const scans = reading(brokers.APP, 'tracking-ingest')
    const olderCopies = reading(brokers.APP, 'tracking-ingest-mqtt')
    const copies = reading(brokers.MQTT, 'tracking-ingest-mqtt')
    await vi.waitFor(() => {
      expect(scans.bodies.toSorted()).toEqual(['2', '3', '4', '5', '6', '7', '8'])
      expect(olderCopies.bodies.toSorted()).toEqual(['3', '4', '5', '6'])
      expect(copies.bodies.toSorted()).toEqual(['7', '8'])
    }, 5_000)
    await Promise.all([scans.stop(), olderCopies.stop(), copies.stop()])

    const after = await natsOf(brokers.APP).jetstreamManager()
    expect((await after.streams.info('CATALOG')).state.messages).toBe(1)
    expect((await after.streams.info('DEAD')).state.messages).toBe(1)
    expect((await after.streams.info('SCANS')).config).toMatchObject({ deny_purge: true, deny_delete: true })
    // The next deployment removes the MQTT streams in APP, because they have been read.
    await eventually(async () => expect((await after.streams.info('$MQTT_msgs')).state.messages).toBe(0))
    await applyTopology(brokers)
    const names = (await after.streams.list().next()).map(({ config }) => config.name)
    expect(names.filter((name) => name.startsWith('$MQTT'))).toEqual([])
    expect(await hasOlderMqttCopies(brokers.APP)).toBe(false)
  } finally {
    await server.stop()
  }
})

test('a deployment does not remove unread copies of MQTT messages', async () => {
  const server = await startBroker({ config: readFileSync(join(OLDER, 'nats.conf'), 'utf8') })
  try {
    const before = await declareOlder(server)
    const older = await letReadersIn(server, asBefore)
    await sendOverMqtt(server, 1)
    await older.stop()
    await before.close()
    await server.restart()
    const brokers = { APP: await logIn(server, 'services'), MQTT: await logIn(server, 'mqtt-services') }
    await applyTopology(brokers)
    await applyTopology(brokers)
    const copies = reading(brokers.APP, 'tracking-ingest-mqtt')
    await eventually(() => expect(copies.bodies).toEqual(['1', '2']))
    await copies.stop()
  } finally {
    await server.stop()
  }
})

import { eventually } from '@whereabouts/testing/eventually'
import { createConnection } from 'node:net'
import { connect as dial, headers, type NatsConnection } from 'nats'
import { connectAsync, type MqttClient } from 'mqtt'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { serveLogins } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
import { publish } from '../messages/publish.ts'

/** Readers log in with the number of their organization. */
async function letReadersIn(bus: Bus) {
  const callout = await bus.connect('callout')
  serveLogins(
    callout,
    bus.server.calloutKeys,
    async (login) => readerGrant(login, Number(login.user)),
    bus.logger,
  )
  await natsOf(callout).flush()
}

const overNats = (bus: Bus, org: number): Promise<NatsConnection> =>
  dial({ servers: bus.server.url, user: String(org), pass: 'x', reconnect: false })

const overMqtt = (bus: Bus, org: number, clientId = `${org}-reader`): Promise<MqttClient> =>
  connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username: String(org),
    password: 'x',
    reconnectPeriod: 0,
    clientId,
  })

/** Sends lines of the protocol and returns the broker's error: the client library would refuse some lines itself. */
async function refusal({ server }: Bus, org: number, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = createConnection(Number(port), hostname)
  for (const line of [`CONNECT {"user":"${org}","pass":"x"}`, ...lines]) socket.write(`${line}\r\n`)
  let said = ''
  for await (const chunk of socket) {
    said += String(chunk)
    if (said.includes('-ERR')) break
  }
  return said
}

const message = '{"reads":[]}'
const NOWHERE = 'scans.8.r.canonical'

/** The first and last sequence of each stream, and its messages by subject. */
async function everything({ brokers }: Bus) {
  const found: Record<string, unknown> = {}
  for (const broker of Object.values(brokers)) {
    const jsm = await natsOf(broker).jetstreamManager()
    for await (const { config } of jsm.streams.list()) {
      const { state } = await jsm.streams.info(config.name, { subjects_filter: '>' })
      found[config.name] = [state.first_seq, state.last_seq, state.subjects]
    }
  }
  return found
}

test('a client with default options is acknowledged, and another organization does not receive the answer', async ({
  bus,
}) => {
  await letReadersIn(bus)
  const [ours, theirs] = await Promise.all([overNats(bus, 7), overNats(bus, 8)])
  const heard = vi.fn<() => void>()
  theirs.subscribe('_INBOX.>', { callback: heard })
  await theirs.flush()
  const ack = await ours.jetstream().publish('scans.7.dock.canonical', message)
  expect(ack).toMatchObject({ stream: 'SCANS', seq: 1 })
  await theirs.flush()
  expect(heard).not.toHaveBeenCalled()
})

test('a reply subject of a reader never reaches a stream, an API of the broker or another organization', async ({
  bus,
}) => {
  await letReadersIn(bus)
  for (const subject of ['catalog.asset.7.1', 'keys.key.1', 'events.asset-moved.7', 'dead.7.SCANS.x'])
    await publish(bus.broker, { subject, payload: {} })
  const ours = await overNats(bus, 7)
  await ours.jetstream().publish('scans.7.dock.canonical', message)
  const before = await everything(bus)
  const theirs = await overNats(bus, 8)
  const streams = Object.keys(before)
  const verbs = ['PURGE', 'DELETE', 'MSG.DELETE', 'UPDATE', 'CREATE', 'SNAPSHOT', 'LEADER.STEPDOWN', 'INFO']
  const replies = [
    ...streams.flatMap((stream) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${stream}`)),
    '$JS.API.CONSUMER.DELETE.SCANS.tracking-ingest',
    '$JS.API.CONSUMER.PAUSE.SCANS.tracking-ingest',
    'catalog.asset.7.1',
    'keys.key.1',
    'keys.org.7',
    'events.asset-moved.7',
    'placements.7',
    'dead.7.SCANS.x',
    'scans.7.dock.canonical',
    'scans.7.phantom.canonical',
    'at-once.keys.key.1',
    '$MQTT.msgs.scans.7.x.y',
  ]
  for (const reply of replies) theirs.publish(NOWHERE, message, { reply })
  await theirs.flush()
  // When a valid message after them is acknowledged, all of them have been handled.
  await theirs.jetstream().publish(NOWHERE, message)
  const after = await everything(bus)
  const count = replies.length + 1
  expect(after).toEqual({
    ...before,
    SCANS: [1, 1 + count, { 'scans.7.dock.canonical': 1, [NOWHERE]: count }],
  })
})

test('two organizations may use the same message id, and both messages are stored', async ({ bus }) => {
  await letReadersIn(bus)
  const id = headers()
  id.set('Nats-Msg-Id', 'reader-7-000123')
  for (const org of [8, 7]) {
    const reader = await overNats(bus, org)
    const ack = await reader.jetstream().publish(`scans.${org}.r.canonical`, message, { headers: id })
    expect(ack.duplicate).toBe(false)
  }
})

test('the broker refuses a message over 257 KiB over NATS and MQTT, and a 21st subscription', async ({
  bus,
}) => {
  await letReadersIn(bus)
  const large = Buffer.alloc(258 * 1024)
  expect(await refusal(bus, 7, [`PUB scans.7.r.canonical ${large.length}`])).toMatch(/maximum payload/i)
  const mqtt = await overMqtt(bus, 7)
  const closed = new Promise<void>((resolve) => mqtt.once('close', () => resolve()))
  mqtt.publish('scans/7/r/canonical', large, { qos: 0 })
  await closed
  const subscriptions = Array.from({ length: 21 }, (_, n) => `SUB _INBOX.a.${n} ${n}`)
  expect(await refusal(bus, 7, subscriptions)).toMatch(/maximum subscriptions exceeded/i)
  expect(await everything(bus)).toMatchObject({ SCANS: [0, 0, undefined] })
})

test('a message of the largest size is stored over NATS and MQTT', async ({ bus }) => {
  await letReadersIn(bus)
  const large = Buffer.alloc(256 * 1024)
  const reader = await overNats(bus, 7)
  await reader.jetstream().publish('scans.7.r.canonical', large)
  const mqtt = await overMqtt(bus, 7)
  await mqtt.publishAsync('scans/7/r/canonical', large, { qos: 1 })
  await eventually(async () =>
    expect(await everything(bus)).toMatchObject({ SCANS: [1, 2, { 'scans.7.r.canonical': 2 }] }),
  )
  await mqtt.endAsync()
})

test('retained messages of readers are stored as scans and are not retained', async ({ bus }) => {
  await letReadersIn(bus)
  const mqtt = await overMqtt(bus, 7)
  for (const [n, qos] of ([0, 1] as const).entries())
    await mqtt.publishAsync(`scans/7/r${n}/canonical`, 'x', { qos, retain: true })
  await eventually(async () =>
    expect(await everything(bus)).toMatchObject({
      SCANS: [1, 2, { 'scans.7.r0.canonical': 1, 'scans.7.r1.canonical': 1 }],
      $MQTT_rmsgs: [0, 0, undefined],
    }),
  )
  await mqtt.endAsync()
})

test('a message that was acknowledged over MQTT has a copy in the account MQTT', async ({ bus }) => {
  await letReadersIn(bus)
  const mqtt = await overMqtt(bus, 7)
  await mqtt.publishAsync('scans/7/r/canonical', message, { qos: 1 })
  const jsm = await natsOf(bus.brokers.MQTT).jetstreamManager()
  expect((await jsm.streams.info('$MQTT_msgs')).state.messages).toBe(1)
  await mqtt.endAsync()
})

test('sessions over MQTT end a week after their last use, and the streams of the broker are bounded', async ({
  bus,
}) => {
  await letReadersIn(bus)
  const kept = await connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username: '7',
    password: 'x',
    clientId: '7-kept',
    clean: false,
  })
  const jsm = await natsOf(bus.brokers.MQTT).jetstreamManager()
  const { config, state } = await jsm.streams.info('$MQTT_sess')
  expect(state.messages).toBe(1)
  expect(config).toMatchObject({ max_age: 7 * 86_400 * 1e9, max_bytes: 64 * 1_048_576 })
  expect((await jsm.streams.info('$MQTT_rmsgs')).config).toMatchObject({ max_bytes: 1_048_576 })
  await kept.endAsync()
})

test('nobody can delete or purge in streams from which the product never deletes', async ({ bus }) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const subjects = {
    SCANS: 'scans.7.r.x',
    CATALOG: 'catalog.x',
    KEYS: 'keys.x',
    EVENTS: 'events.x',
    PLACEMENTS: 'placements.x',
  }
  for (const [stream, subject] of Object.entries(subjects)) {
    const { seq } = await publish(bus.broker, { subject, payload: {} })
    await expect(jsm.streams.purge(stream), stream).rejects.toThrow(/purge not permitted/)
    await expect(jsm.streams.deleteMessage(stream, seq), stream).rejects.toThrow(/delete not permitted/)
  }
})

test('services log in only over NATS', async ({ bus }) => {
  const { user, password } = bus.server.users.services
  const login = connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username: user,
    password,
    reconnectPeriod: 0,
  })
  await expect(login).rejects.toThrow(/not authorized/i)
})

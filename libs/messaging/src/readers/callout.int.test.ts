import { eventually } from '@whereabouts/testing/eventually'
import { connect as dial, ErrorCode, type NatsConnection } from 'nats'
import { connectAsync, type MqttClient } from 'mqtt'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { DECISION_MS, serveLogins, type Grant, type Login, type OnLogin } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
import { disconnectUser } from './disconnect-user.ts'
import { createCalloutKeys } from './nkeys.ts'

/** Keys k7 and k8 belong to organizations 7 and 8. */
const orgs = new Map([
  ['k7', 7],
  ['k8', 8],
])
async function decide(login: Login): Promise<Grant | undefined> {
  const org = orgs.get(login.user)
  if (org === undefined || login.password !== `${login.user}-secret`) return undefined
  return readerGrant(login, org)
}

async function startCallout(bus: Bus, decision: Parameters<typeof serveLogins>[2] = decide) {
  const callout = await bus.connect('callout')
  const responder = serveLogins(callout, bus.server.calloutKeys, decision, bus.logger)
  await natsOf(callout).flush()
  return responder
}

const overNats = (bus: Bus, user: string, pass = `${user}-secret`): Promise<NatsConnection> =>
  dial({ servers: bus.server.url, user, pass, reconnect: false })

const overMqtt = (bus: Bus, username: string, password = `${username}-secret`): Promise<MqttClient> =>
  connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username,
    password,
    reconnectPeriod: 0,
    clientId: `reader-${username}`,
  })

/** The subjects of all messages in SCANS. */
async function stored({ broker }: Bus): Promise<string[]> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { state } = await jsm.streams.info('SCANS', { subjects_filter: '>' })
  return Object.keys(state.subjects ?? {}).toSorted()
}

test('over NATS a reader publishes only for its own organization', async ({ bus }) => {
  await startCallout(bus)
  const reader = await overNats(bus, 'k7')
  const ack = await reader.jetstream().publish('scans.7.dock.canonical', '{}')
  expect(ack.stream).toBe('SCANS')
  reader.publish('scans.8.dock.canonical', '{}')
  reader.publish('catalog.asset.8.1', '{}')
  reader.publish('$JS.API.STREAM.DELETE.SCANS', '')
  await reader.flush()
  expect(await stored(bus)).toEqual(['scans.7.dock.canonical'])
  await reader.close()
})

test('a reader receives no messages over NATS, not even its own', async ({ bus }) => {
  await startCallout(bus)
  const reader = await overNats(bus, 'k7')
  const heard = vi.fn<() => void>()
  for (const subject of ['>', 'scans.7.>', '$JS.>', '$MQTT.>']) {
    reader.subscribe(subject, { callback: (error) => (error ? undefined : heard()) })
  }
  await reader.flush()
  await natsOf(bus.broker).jetstream().publish('scans.7.dock.canonical', '{}')
  await reader.flush()
  expect(heard).not.toHaveBeenCalled()
  await reader.close()
})

test('a reader receives no messages over MQTT', async ({ bus }) => {
  await startCallout(bus)
  const reader = await overMqtt(bus, 'k7')
  const heard = vi.fn<() => void>()
  reader.on('message', heard)
  for (const topic of ['#', 'scans/#', 'scans/7/#']) await reader.subscribeAsync(topic).catch(() => {}) // refused
  await reader.publishAsync('scans/7/dock/canonical', '{}', { qos: 1 })
  await eventually(async () => expect(await stored(bus)).toEqual(['scans.7.dock.canonical']))
  await reader.publishAsync('scans/7/dock/canonical', '{}', { qos: 1 }) // its acknowledgement comes after any message
  expect(heard).not.toHaveBeenCalled()
  await reader.endAsync()
})

test('over MQTT a reader publishes only for its own organization', async ({ bus }) => {
  await startCallout(bus)
  const reader = await overMqtt(bus, 'k7')
  await reader.publishAsync('scans/8/dock/canonical', '{}', { qos: 1 }) // acknowledged, but not stored
  await reader.publishAsync('catalog/asset/8/1', '{}', { qos: 1 })
  await reader.publishAsync('scans/7/dock/canonical', '{}', { qos: 1 })
  await eventually(async () => expect(await stored(bus)).toEqual(['scans.7.dock.canonical']))
  await reader.endAsync()
})

test('a wrong password and an unknown key are refused at once, over NATS and MQTT', async ({ bus }) => {
  await startCallout(bus)
  const begun = performance.now()
  await expect(overNats(bus, 'k7', 'wrong')).rejects.toThrow(/authorization/i)
  await expect(overNats(bus, 'k9')).rejects.toThrow(/authorization/i)
  await expect(overMqtt(bus, 'k7', 'wrong')).rejects.toThrow(/not authorized/i)
  expect(performance.now() - begun).toBeLessThan(1_500)
})

test('a refusal that waits holds nobody else up', async ({ bus }) => {
  let isAnswered = false
  await startCallout(bus, async (login) => (await decide(login)) ?? { refused: undefined, afterMs: 1_000 })
  const slow = Array.from({ length: 60 }, () => overNats(bus, 'k9').finally(() => (isAnswered = true)))
  const refused = Promise.all(slow.map((one) => expect(one).rejects.toThrow(/authorization/i)))
  for (let round = 0; round < 3; round += 1) await (await overNats(bus, 'k7')).close()
  expect(isAnswered).toBe(false)
  await refused
})

test('a login that cannot be decided is not refused: it waits until it can, and no secret is logged', async ({
  bus,
}) => {
  let failures = 3
  await startCallout(bus, (login) => {
    if (failures > 0) return Promise.reject(new Error(`database is down, ${(failures -= 1)}`))
    return decide(login)
  })
  const unknown = overNats(bus, 'my secret, in the wrong field', 'x')
  const [reader] = await Promise.all([overNats(bus, 'k7'), expect(unknown).rejects.toThrow(/authorization/i)])
  await reader.close()
  expect(failures).toBe(0)
  expect(bus.log).toContainEqual(expect.objectContaining({ reason: 'database is down, 0', level: 'error' }))
  expect(JSON.stringify(bus.log)).not.toMatch(/secret/)
})

test('logins that cannot be decided have one log line per address and reason', async ({ bus }) => {
  let isDown = true
  const undecided = new Map<string, number>()
  const responder = await startCallout(bus, (login) => {
    if (!isDown) return decide(login)
    undecided.set(login.user, (undecided.get(login.user) ?? 0) + 1)
    return Promise.reject(new Error('database is down'))
  })
  const logins = Promise.all([overNats(bus, 'k7'), overMqtt(bus, 'k8')])
  const counts = () => bus.log.filter(({ reason }) => reason === 'database is down').map(({ count }) => count)
  // Each is decided again and again, and only the first time has a line before the end.
  await eventually(() =>
    expect([undecided.get('k7'), undecided.get('k8')].every((n = 0) => n >= 3)).toBe(true),
  )
  expect(counts()).toEqual([1])
  expect(responder.isKeepingUp()).toBe(false)
  isDown = false
  const [reader, mqtt] = await logins
  await Promise.all([reader.close(), mqtt.endAsync()])
  expect(responder.isKeepingUp()).toBe(true)
  await responder.stop()
  expect(counts()).toEqual([1, expect.any(Number)])
})

// As after SIGSTOP: the database has answered, the key is revoked meanwhile, and the process goes on.
test('a grant that is older than its time is dropped, and the login decided again', async ({ bus }) => {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  let decisions = 0
  await startCallout(bus, async (login) => {
    decisions += 1
    if (decisions > 1) return undefined // revoked
    Atomics.wait(pause, 0, 0, DECISION_MS + 100)
    return readerGrant(login, 7)
  })
  await expect(overNats(bus, 'k7')).rejects.toThrow(/authorization/i)
  expect(decisions).toBe(2)
})

test('in a burst of logins nobody with the right password is refused', async ({ bus }) => {
  await startCallout(bus)
  const logins = Array.from({ length: 300 }, (_, i) => overNats(bus, i % 2 < 1 ? 'k7' : 'k8'))
  const readers = await Promise.all(logins)
  await Promise.all(readers.map((reader) => reader.close()))
})

test('a request that was not encrypted for us is not refused, but reported', async ({ bus }) => {
  const { xkeySeed } = createCalloutKeys() // not the one in nats.conf
  const callout = await bus.connect('callout')
  serveLogins(callout, { ...bus.server.calloutKeys, xkeySeed }, decide, bus.logger)
  await natsOf(callout).flush()
  const login = dial({
    servers: bus.server.url,
    user: 'k7',
    pass: 'k7-secret',
    reconnect: false,
    timeout: 500,
  })
  await expect(login).rejects.toMatchObject({ code: ErrorCode.Timeout })
  expect(bus.log.map(({ text }) => text)).toContain('malformed authorization request')
})

test('only the broker can send authorization requests', async ({ bus }) => {
  await startCallout(bus)
  const intruder = await bus.connect('callout')
  const asked = natsOf(intruder).request('$SYS.REQ.USER.AUTH', '{}', { timeout: 1_000 })
  await expect(asked).rejects.toThrow(/permissions violation/i)
})

test('two replicas share the logins, and one replica is enough', async ({ bus }) => {
  const answered: number[] = []
  const replica = (n: number) => startCallout(bus, (login) => (answered.push(n), decide(login)))
  const [first] = await Promise.all([replica(1), replica(2)])
  for (let i = 0; i < 20; i += 1) await (await overNats(bus, 'k7')).close()
  expect(new Set(answered)).toEqual(new Set([1, 2]))
  expect(answered).toHaveLength(20)
  await first.stop()
  await (await overNats(bus, 'k7')).close()
})

test('a client is disconnected when its grant expires', async ({ bus }) => {
  const soon = Math.floor(Date.now() / 1000) + 2
  await startCallout(bus, async (login) => {
    const grant = await decide(login)
    return grant && { ...grant, expiresAt: soon }
  })
  const reader = await overNats(bus, 'k7')
  expect(await reader.closed()).toMatchObject({ message: expect.stringMatching(/expired/i) })
})

test('revocation disconnects only the clients of the key, over NATS and MQTT', async ({ bus }) => {
  await startCallout(bus)
  const system = await bus.connect('system')
  const [one, two, other] = await Promise.all([overNats(bus, 'k7'), overNats(bus, 'k7'), overNats(bus, 'k8')])
  const mqtt = await overMqtt(bus, 'k7')
  const gone = Promise.all([
    one.closed(),
    two.closed(),
    new Promise<void>((closed) => mqtt.once('close', closed)),
  ])
  expect(await disconnectUser(system, 'k7')).toBe(3)
  await gone
  expect(await disconnectUser(system, 'k7')).toBe(0)
  await other.jetstream().publish('scans.8.dock.canonical', '{}')
  await other.close()
})

test('each login is reported with its outcome and duration', async ({ bus }) => {
  const reported: Parameters<OnLogin>[] = []
  const failing = new Set(['k8'])
  const decideOrFail = async (login: Login) => {
    if (failing.delete(login.user)) throw new Error('database away')
    return decide(login)
  }
  const callout = await bus.connect('callout')
  serveLogins(callout, bus.server.calloutKeys, decideOrFail, bus.logger, (...login) => reported.push(login))
  await natsOf(callout).flush()
  const reader = await overNats(bus, 'k7')
  await expect(overNats(bus, 'k7', 'guessed')).rejects.toThrow()
  await expect(overMqtt(bus, 'k8', 'guessed')).rejects.toThrow()
  await reader.close()
  expect(reported.map(([clientType, outcome]) => `${clientType} ${outcome}`)).toEqual([
    'nats granted',
    'nats refused',
    'mqtt undecided',
    'mqtt refused',
  ])
  for (const [, , seconds] of reported) expect(seconds).toBeGreaterThanOrEqual(0)
})

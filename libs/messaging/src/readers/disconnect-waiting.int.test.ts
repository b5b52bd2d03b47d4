import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { eventually } from '@whereabouts/testing/eventually'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { connect as mqttConnect } from 'mqtt'
import { connect as dial } from 'nats'
import { expect } from 'vitest'
import { serveLogins } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
import { countConnections } from './connection-counts.ts'
import { disconnectWaiting } from './disconnect-user.ts'

async function answerLogins(bus: Bus) {
  const callout = await bus.connect('callout')
  serveLogins(callout, bus.server.calloutKeys, async (login) => readerGrant(login, 7), bus.logger)
  await natsOf(callout).flush()
}

/** A reader over MQTT with the defaults of its library, and the errors it has seen. */
function mqttReader(bus: Bus) {
  const errors: string[] = []
  const client = mqttConnect(bus.server.mqttUrl, { protocolVersion: 4, username: 'k7', password: 'x' })
  client.on('error', ({ message }) => errors.push(message))
  return { client, errors }
}

const openConnections = async ({ server }: Bus) => {
  const { num_connections } = (await (await fetch(`${server.monitorUrl}/connz`)).json()) as Record<
    string,
    number
  >
  return num_connections ?? 0
}

test('readers whose login nobody has are disconnected, not refused, and are in at the next attempt', async ({
  bus,
}) => {
  const system = await bus.connect('system')
  const before = await openConnections(bus)
  const mqtt = mqttReader(bus)
  const login = dial({ servers: bus.server.url, user: 'k7', pass: 'x', reconnect: false })
  const ended = login.catch((error: unknown) => error)
  await eventually(async () => expect(await openConnections(bus)).toBe(before + 2))

  await answerLogins(bus)
  expect(await disconnectWaiting(system, 60_000), 'they have waited for less than a minute').toBe(0)
  expect(await disconnectWaiting(system, 0)).toBe(2)
  // A lost connection, by either name that the library has for it.
  expect(await ended).toMatchObject({ code: expect.stringMatching(/^(CONNECTION_REFUSED|ECONNRESET)$/) })
  await eventually(() => expect(mqtt.client.connected).toBe(true))
  expect(mqtt.errors).toEqual([])

  expect(await disconnectWaiting(system, 0), 'connected ones are left alone').toBe(0)
  expect(mqtt.client.connected).toBe(true)
  await mqtt.client.endAsync()
})

test('a connection counts for a user only when its login is granted', async ({ bus }) => {
  const counts = countConnections(await bus.connect('system'), bus.logger)
  const before = await openConnections(bus)
  const waiting = dial({ servers: bus.server.url, user: 'k7', pass: 'guessed', reconnect: false })
  const ended = waiting.catch((error: unknown) => error)
  await eventually(async () => expect(await openConnections(bus)).toBe(before + 1))
  await counts.refresh()
  expect(counts.of('k7')).toBe(0)
  await disconnectWaiting(await bus.connect('system'), 0)
  expect(await ended).toBeInstanceOf(Error)
  counts.stop()
})

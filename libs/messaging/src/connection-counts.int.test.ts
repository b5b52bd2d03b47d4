import { connect as dial, type NatsConnection } from 'nats'
import { connectAsync } from 'mqtt'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker-fixtures'
import type { Bus } from '@whereabouts/testing/bus'
import { readerGrant } from '@whereabouts/testing/reader-grant'
import { serveLogins } from './callout.ts'
import { natsOf } from './connection.ts'
import { countConnections } from './connection-counts.ts'

async function letReadersIn(bus: Bus) {
  const callout = await bus.connect('callout')
  serveLogins(callout, bus.server.calloutKeys, async (login) => readerGrant(login, 7), bus.logger)
  await natsOf(callout).flush()
}

const reader = (bus: Bus, user: string): Promise<NatsConnection> =>
  dial({ servers: bus.server.url, user, pass: 'x', reconnect: false })

test('connections over NATS and MQTT are counted when they open and close', async ({ bus }) => {
  await letReadersIn(bus)
  const early = await reader(bus, 'k1')
  const counts = countConnections(await bus.connect('system'), bus.logger)
  await counts.refresh()
  expect(counts.of('k1')).toBe(1)
  const before = counts.total
  const [second] = await Promise.all([reader(bus, 'k1'), reader(bus, 'k2')])
  const mqtt = await connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username: 'k1',
    password: 'x',
    clientId: 'one',
  })
  await vi.waitFor(() => expect([counts.of('k1'), counts.of('k2'), counts.of('k3')]).toEqual([3, 1, 0]))
  expect(counts.total).toBe(before + 3)
  await Promise.all([early.close(), second.close(), mqtt.endAsync()])
  await vi.waitFor(() => expect(counts.of('k1')).toBe(0))
  counts.stop()
})

test('a granted login counts at once, and only once', async ({ bus }) => {
  await letReadersIn(bus)
  const counts = countConnections(await bus.connect('system'), bus.logger)
  await counts.refresh()
  counts.expect('k1')
  counts.expect('k1')
  expect(counts.of('k1')).toBe(2)
  await Promise.all([reader(bus, 'k1'), reader(bus, 'k1')])
  await counts.refresh()
  expect(counts.of('k1')).toBe(2)
  counts.stop()
})

test('connections of a killed broker no longer count', async ({ bus }) => {
  await letReadersIn(bus)
  const counts = countConnections(await bus.connect('system'), bus.logger)
  await reader(bus, 'k1')
  await counts.refresh()
  expect(counts.of('k1')).toBe(1)
  await bus.server.restart()
  await vi.waitFor(async () => {
    await counts.refresh()
    expect(counts.of('k1')).toBe(0)
  }, 10_000)
  counts.stop()
})

test('the users of an account and the number of reader accounts are known', async ({ bus }) => {
  await letReadersIn(bus)
  const counts = countConnections(await bus.connect('system'), bus.logger)
  await reader(bus, 'k1')
  await counts.refresh()
  expect(counts.usersIn('R0007')).toEqual(['k1'])
  expect(counts.usersIn('APP')).toEqual(['services'])
  expect(counts.readerAccounts).toBe(1_000)
  counts.stop()
})

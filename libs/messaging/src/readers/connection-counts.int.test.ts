import { eventually } from '@whereabouts/testing/eventually'
import { connect as dial, type NatsConnection } from 'nats'
import { connectAsync } from 'mqtt'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { serveLogins } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
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
  await eventually(() => expect([counts.of('k1'), counts.of('k2'), counts.of('k3')]).toEqual([3, 1, 0]))
  expect(counts.total).toBe(before + 3)
  await Promise.all([early.close(), second.close(), mqtt.endAsync()])
  await eventually(() => expect(counts.of('k1')).toBe(0))
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

test('users that sent something since the count before are reported, over NATS and MQTT', async ({ bus }) => {
  await letReadersIn(bus)
  const reported: string[] = []
  const onMessages = (users: readonly string[]) => reported.push(...users.filter((user) => /^k\d/.test(user)))
  const early = await reader(bus, 'k1')
  early.publish('scans.7.dock.canonical', 'x')
  await early.flush()
  const counts = countConnections(await bus.connect('system'), bus.logger, { onMessages })
  await counts.refresh()
  expect(reported, 'nobody knows when k1 sent it').toEqual([])
  const [quiet, late] = await Promise.all([reader(bus, 'k2'), reader(bus, 'k3')])
  const mqtt = await connectAsync(bus.server.mqttUrl, { protocolVersion: 4, username: 'k4', password: 'x' })
  for (const one of [early, late]) one.publish('scans.7.dock.canonical', 'x')
  await Promise.all([early.flush(), late.flush(), quiet.flush()])
  await mqtt.publishAsync('scans/7/dock/canonical', 'x', { qos: 1 })
  // Again until the count is new: one of the last second is reused.
  const afterNextCount = (check: () => void) =>
    vi.waitFor(async () => {
      await counts.refresh()
      check()
    }, 5_000)
  await afterNextCount(() => expect(reported.toSorted()).toEqual(['k1', 'k3', 'k4']))
  quiet.publish('scans.7.dock.canonical', 'x')
  await quiet.flush()
  await afterNextCount(() => expect(reported.slice(3), 'only users with newer messages').toEqual(['k2']))
  late.publish('scans.7.dock.canonical', 'x')
  await late.flush()
  await late.close()
  await quiet.close()
  await eventually(() => expect([counts.of('k2'), counts.of('k3')]).toEqual([0, 0]))
  expect(reported.slice(4)).toEqual(['k3'])
  await Promise.all([early.close(), mqtt.endAsync()])
  counts.stop()
})

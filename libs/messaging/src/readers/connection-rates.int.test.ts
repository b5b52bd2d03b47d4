import { eventually } from '@whereabouts/testing/eventually'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { connectAsync } from 'mqtt'
import { connect as dial, type NatsConnection } from 'nats'
import { expect } from 'vitest'
import { serveLogins } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
import { watchRates } from './connection-rates.ts'

const SUBJECT = 'scans.7.r.canonical'
const KIB = 1_024

/** Adds up how much each user sent. */
async function watching(bus: Bus) {
  const callout = await bus.connect('callout')
  serveLogins(callout, bus.server.calloutKeys, async (login) => readerGrant(login, 7), bus.logger)
  await natsOf(callout).flush()
  const totals = new Map<string, { bytes: number; messages: number }>()
  let answers = 0
  const watch = watchRates(await bus.connect('system'), {
    logger: bus.logger,
    onSent: (sent) => {
      for (const { user, bytes, messages } of sent) {
        const before = totals.get(user) ?? { bytes: 0, messages: 0 }
        totals.set(user, { bytes: before.bytes + bytes, messages: before.messages + messages })
      }
    },
    onAnswer: () => (answers += 1),
  })
  /** Resolves after that many further answers of the brokers. */
  const answered = (more: number) => {
    const wanted = answers + more
    return eventually(() => expect(answers).toBeGreaterThanOrEqual(wanted))
  }
  await answered(1)
  return { totals, answered, stop: () => watch.stop() }
}

const reader = (bus: Bus, user: string): Promise<NatsConnection> =>
  dial({ servers: bus.server.url, user, pass: 'x', reconnect: false })

function publish(nc: NatsConnection, messages: number, bytes: number): Promise<void> {
  const payload = Buffer.alloc(bytes)
  for (let n = 0; n < messages; n += 1) nc.publish(SUBJECT, payload)
  return nc.flush()
}

test('what a user sends over all connections is counted from the first byte', async ({ bus }) => {
  const { totals, stop } = await watching(bus)
  const [one, two, other] = [await reader(bus, 'k1'), await reader(bus, 'k1'), await reader(bus, 'k2')]
  await Promise.all([publish(one, 300, KIB), publish(two, 200, KIB), publish(other, 100, KIB)])
  await eventually(() =>
    expect(Object.fromEntries(totals)).toEqual({
      k1: { bytes: 500 * KIB, messages: 500 },
      k2: { bytes: 100 * KIB, messages: 100 },
    }),
  )
  stop()
})

test('what a user sends over MQTT is counted', async ({ bus }) => {
  const { totals, stop } = await watching(bus)
  const mqtt = await connectAsync(bus.server.mqttUrl, {
    protocolVersion: 4,
    username: 'k1',
    password: 'x',
    clientId: 'one',
  })
  const payload = Buffer.alloc(KIB)
  await Promise.all(
    Array.from({ length: 300 }, () => mqtt.publishAsync(SUBJECT.replaceAll('.', '/'), payload, { qos: 0 })),
  )
  await eventually(() => expect(totals.get('k1')?.messages).toBe(300))
  expect(totals.get('k1')?.bytes).toBeGreaterThanOrEqual(300 * KIB)
  await mqtt.endAsync()
  stop()
})

test('what an older connection sent before the first sample is not counted', async ({ bus }) => {
  const { totals, answered, stop } = await watching(bus)
  const nc = await reader(bus, 'k1')
  // Long enough that the connection no longer counts from its start.
  for (let turn = 0; turn < 25; turn += 1) {
    await publish(nc, 1, KIB) // stays below the threshold, even if answers come together
    await answered(1)
  }
  expect(totals.size).toBe(0)
  await publish(nc, 3_000, 1) // causes the first sample
  let later = 0
  await eventually(async () => {
    await publish(nc, 50, KIB)
    later += 50
    expect(totals.size).toBe(1)
  })
  // The sample may be taken while they arrive. None of the first 25 counts.
  expect(totals.get('k1')?.messages).toBeLessThanOrEqual(3_000 + later)
  stop()
})

test('what a connection sent is counted even if it ends before the next sample', async ({ bus }) => {
  const { totals, stop } = await watching(bus)
  const steady = await reader(bus, 'k1')
  await publish(steady, 3_000, KIB) // above the threshold even if an answer is late by seconds
  await eventually(() => expect(totals.get('k1')?.messages).toBe(3_000))
  const brief = await reader(bus, 'k2')
  await publish(brief, 40, KIB)
  await brief.close()
  await eventually(() => expect(totals.get('k2')).toEqual({ bytes: 40 * KIB, messages: 40 }))
  stop()
})

test('connections of services are not counted', async ({ bus }) => {
  const { totals, answered, stop } = await watching(bus)
  await publish(natsOf(bus.broker), 2_000, KIB)
  await answered(3)
  expect(totals.size).toBe(0)
  stop()
})

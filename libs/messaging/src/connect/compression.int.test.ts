import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { uncompress } from '@whereabouts/testing/broker/streams'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { consumeBatches } from '../consume/consume.ts'
import { publishMany } from '../messages/publish.ts'
import { natsOf } from './connection.ts'
import { accountOf, applyTopology, type DurableName, type StreamName } from './topology.ts'

/** The streams of reader messages, where each of them comes from, and who reads it. */
const OF_READERS = {
  SCANS: { subject: 'scans.7.gate.canonical', durable: 'tracking-ingest' },
  OVERFLOW: { subject: 'overflow.7', durable: 'tracking-overflow' },
  $MQTT_msgs: { subject: '$MQTT.msgs.scans.7.gate.canonical', durable: 'tracking-ingest-mqtt' },
} as const satisfies Partial<Record<StreamName, { subject: string; durable: DurableName }>>
const names = Object.keys(OF_READERS) as (keyof typeof OF_READERS)[]

const BLOCK = 8 * 1024 * 1024
const READ = '{"tag":"E28011606000020461A4B2C9","antenna":2,"rssi":-51},'
/** More than two blocks, because a block is compressed once it is full. */
const messages = (from: string) => Array.from({ length: 100 }, (_, n) => `${from} ${n} ${READ.repeat(3_500)}`)
const SENT = 100 * 3_500 * READ.length

const bytesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.blk'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

test('streams of an older release are compressed after a restart of the broker, and keep every message', async ({
  bus,
}) => {
  const managers = {
    APP: await natsOf(bus.brokers.APP).jetstreamManager(),
    MQTT: await natsOf(bus.brokers.MQTT).jetstreamManager(),
  }
  const streamsOf = (name: StreamName) => managers[accountOf(name)].streams
  const sendAll = async (payloads: readonly string[]) => {
    for (const name of names) {
      const { subject } = OF_READERS[name]
      await publishMany(
        bus.brokers[accountOf(name)],
        payloads.map((text) => ({ subject, payload: Buffer.from(text) })),
      )
    }
  }
  const onDisk = (name: StreamName) =>
    bytesIn(join(bus.server.store, 'jetstream', accountOf(name), 'streams', name, 'msgs'))

  const restart = async () => {
    await bus.server.restart()
    for (const broker of Object.values(bus.brokers))
      await vi.waitFor(() => expect(broker.isConnected()).toBe(true), 10_000)
  }

  for (const name of names) await uncompress(bus.brokers[accountOf(name)], name)
  await restart()
  await sendAll(messages('before'))
  const before = names.map(onDisk)
  expect(Math.min(...before)).toBeGreaterThan(SENT)

  expect((await applyTopology(bus.brokers)).toSorted()).toEqual(names.toSorted())
  expect(await applyTopology(bus.brokers)).toEqual([])
  await restart()
  await sendAll(messages('after'))
  // The limit counts what was sent. The disk has the blocks of before, the last one, and little more.
  for (const [index, name] of names.entries()) {
    expect((await streamsOf(name).info(name)).state.bytes).toBeGreaterThan(2 * SENT)
    await vi.waitFor(() => expect(onDisk(name) - before[index]!).toBeLessThan(BLOCK), 5_000)
  }

  await restart()
  const expected = [...messages('before'), ...messages('after')]
  for (const name of names) {
    const { durable } = OF_READERS[name]
    const bodies: string[] = []
    const consumption = consumeBatches(
      bus.brokers[accountOf(name)],
      {
        durable,
        maxMessages: 50,
        maxWaitMs: 5,
        retryDelaysMs: [],
        decode: ({ data }) => Buffer.from(data).toString(),
        async handle(batch) {
          bodies.push(...batch)
        },
      },
      { logger: bus.logger },
    )
    await vi.waitFor(() => expect(bodies.length).toBe(expected.length), 20_000)
    expect(bodies).toEqual(expected)
    await consumption.stop()
  }
})

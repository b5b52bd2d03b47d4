import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { expect } from 'vitest'
import { natsOf, type Broker } from './connection.ts'
import { publish } from '../messages/publish.ts'
import { applyTopology, streams } from './topology.ts'

const MEBIBYTE = 1024 * 1024

async function infoOf(broker: Broker, stream: 'SCANS' | 'OVERFLOW') {
  const jsm = await natsOf(broker).jetstreamManager()
  return jsm.streams.info(stream)
}

test('limits below what SCANS holds change no stream, unless they are meant', async ({ bus }) => {
  const payload = 'x'.repeat(200_000)
  for (let n = 0; n < 8; n += 1) await publish(bus.broker, { subject: 'scans.7.dock.canonical', payload })
  const { bytes, messages } = (await infoOf(bus.broker, 'SCANS')).state

  await expect(applyTopology(bus.brokers, { scansMaxBytes: MEBIBYTE })).rejects.toThrow(
    `stream SCANS holds ${bytes} bytes and would be limited to ${MEBIBYTE}. Nothing has changed.`,
  )
  expect((await infoOf(bus.broker, 'SCANS')).state.messages).toBe(messages)
  // Everything in it would fit, but half a change is hard to understand.
  expect((await infoOf(bus.broker, 'OVERFLOW')).config.max_bytes).toBe(streams.OVERFLOW.maxBytes)

  await applyTopology(bus.brokers, { scansMaxBytes: bytes })
  expect((await infoOf(bus.broker, 'SCANS')).state.messages).toBe(messages)
  await applyTopology(bus.brokers, { scansMaxBytes: MEBIBYTE, shrink: true })
  expect((await infoOf(bus.broker, 'SCANS')).state.messages).toBeLessThan(messages)
})

test('a stream for which the brokers have no room is named, with the sizes', async ({ bus }) => {
  const wanted = 2 ** 50
  await expect(applyTopology(bus.brokers, { scansMaxBytes: wanted })).rejects.toThrow(
    new RegExp(`no room for stream SCANS: it wants ${wanted} bytes in 1 copies, .* max_file_store`),
  )
})

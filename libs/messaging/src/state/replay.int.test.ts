import { expect } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { dropBefore } from '@whereabouts/testing/broker/streams'
import { natsOf } from '../connect/connection.ts'
import { publishMany } from '../messages/publish.ts'
import { readSubject, streamExtent } from './replay.ts'

const stream = 'EVENTS' as const
const event = (org: number, n: number) => ({ subject: `events.asset-moved.${org}`, payload: { n } })

test('messages of one subject are read in order, up to the limit, and the rest is counted', async ({
  bus,
}) => {
  const events = Array.from({ length: 10 }, (_, n) => event(1 + (n % 2), n))
  await publishMany(bus.broker, events)
  const ask = { stream, subject: 'events.asset-moved.2', limit: 3 }
  const first = await readSubject(bus.broker, { ...ask, fromSeq: 3 })
  expect(first).toEqual({
    messages: [4, 6, 8].map((seq) => ({ seq, payload: { n: seq - 1 } })),
    left: 1,
  })
  expect(await readSubject(bus.broker, { ...ask, fromSeq: 9 })).toMatchObject({
    messages: [{ seq: 10 }],
    left: 0,
  })
  expect(await readSubject(bus.broker, { ...ask, fromSeq: 11 })).toEqual({ messages: [], left: 0 })
})

test('a payload that is not JSON is read as undefined', async ({ bus }) => {
  await publishMany(bus.broker, [{ subject: 'events.asset-moved.1', payload: Buffer.from('{') }])
  const ask = { stream, subject: 'events.asset-moved.1', fromSeq: 1, limit: 5 }
  expect((await readSubject(bus.broker, ask)).messages).toEqual([{ seq: 1, payload: undefined }])
})

test('a read leaves no consumer at the broker', async ({ bus }) => {
  await publishMany(bus.broker, [event(1, 1)])
  for (let i = 0; i < 5; i += 1)
    await readSubject(bus.broker, { stream, subject: 'events.asset-moved.1', fromSeq: 1, limit: 5 })
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const names = async () => (await jsm.consumers.list(stream).next()).map(({ name }) => name)
  await expect.poll(names).toEqual(['webhook-dispatcher-events'])
})

test('the extent of a stream has the sequences that it still holds', async ({ bus }) => {
  await publishMany(bus.broker, [event(1, 1), event(1, 2), event(1, 3)])
  await dropBefore(bus.broker, stream, 3)
  expect(await streamExtent(bus.broker, stream)).toEqual({
    created: expect.stringMatching(/^20/),
    firstSeq: 3,
    lastSeq: 3,
  })
})

test('a read fails without a broker and works again afterwards', { timeout: 40_000 }, async ({ bus }) => {
  await publishMany(bus.broker, [event(1, 1)])
  const ask = { stream, subject: 'events.asset-moved.1', fromSeq: 1, limit: 5 }
  await bus.server.kill()
  await expect(readSubject(bus.broker, ask)).rejects.toThrow()
  await bus.server.restart()
  await expect
    .poll(() => readSubject(bus.broker, ask).catch(() => undefined), { timeout: 15_000 })
    .toMatchObject({ messages: [{ seq: 1 }], left: 0 })
})

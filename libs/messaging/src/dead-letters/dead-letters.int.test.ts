import { eventually } from '@whereabouts/testing/eventually'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { recreateStream } from '@whereabouts/testing/broker/streams'
import { natsOf } from '../connect/connection.ts'
import { consume } from '../consume/consume.ts'
import { findDeadLetter, keepDeadLetter, type FailedMessage } from './dead-letters.ts'
import { listDeadLetters } from './dead-letters.fixture.ts'
import { deadLetterExtent, readDeadLetters } from './dead-letters-page.ts'
import { removeDeadLetter, replayDeadLetter } from './dead-letters-settle.ts'
import type { IncomingMessage } from '../messages/delivery.ts'
import { deadLetterExhausted } from '../consume/exhausted.ts'
import { publish } from '../messages/publish.ts'
import { PoisonError } from '../consume/settle.ts'
import { MAX_DELIVER, type DurableName } from '../connect/topology.ts'

const FIRST = Date.parse('2026-11-21T10:00:00.123Z')
const STATE = 'catalog.asset.7.9'

/** Keeps a dead letter of a message that was received long ago. */
const keep = ({ broker }: Bus, failed: Partial<FailedMessage> = {}) =>
  keepDeadLetter(broker, {
    stream: 'SCANS',
    consumer: 'tracking-ingest',
    streamSeq: 1,
    deliveryCount: 1,
    receivedAt: FIRST,
    subject: 'scans.7.dock-1.canonical',
    data: Buffer.from('{"reads":[]}'),
    headers: { request_id: '01REQUEST' },
    reason: 'not a canonical message',
    ...failed,
  })

/** Publishes a state and keeps a dead letter of it. */
async function keepState(bus: Bus, payload: unknown) {
  const { seq } = await publish(bus.broker, { subject: STATE, payload })
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const { time } = await jsm.streams.getMessage('CATALOG', { seq })
  const data = Buffer.from(JSON.stringify(payload))
  const place = {
    stream: 'CATALOG',
    consumer: 'tracking-catalog',
    streamSeq: seq,
    receivedAt: time.getTime(),
  }
  await keep(bus, { ...place, subject: STATE, data })
}

async function total(bus: Bus, stream: string) {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  return (await jsm.streams.info(stream)).state.messages
}

/** Consumes a durable. The first `failures` messages become dead letters; `handled` has the others. */
function consuming(bus: Bus, durable: DurableName, failures = 0) {
  const handled: IncomingMessage[] = []
  let left = failures
  const consumption = consume(
    bus.broker,
    {
      durable,
      retryDelaysMs: [],
      decode(message) {
        left -= 1
        if (left >= 0) throw new PoisonError('cannot be read')
        return message
      },
      async handle(message) {
        handled.push(message)
      },
    },
    { logger: bus.logger, graceMs: 1_000 },
  )
  return { handled, stop: () => consumption.stop() }
}

test('a replayed message keeps its subject, bytes, request id and time of reception', async ({ bus }) => {
  const subject = 'scans.7.dock-1.moko.4711'
  const data = Buffer.from([0, 255, 10, 13])
  await keep(bus, { subject, data })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'SCANS 1' })
  expect(await total(bus, 'DEAD')).toBe(0)
  const { handled, stop } = consuming(bus, 'tracking-ingest')
  await eventually(() => expect(handled).toHaveLength(1))
  await stop()
  expect(handled[0]).toMatchObject({ subject, receivedAt: FIRST, headers: { request_id: '01REQUEST' } })
  expect(Buffer.from(handled[0]?.data ?? []).equals(data)).toBe(true)
})

test('a message that fails again is a dead letter again, with its first subject and time', async ({
  bus,
}) => {
  const { stop, handled } = consuming(bus, 'tracking-ingest', 2)
  await publish(bus.broker, { subject: 'scans.7.dock-1.canonical', payload: { reads: 1 } })
  await eventually(async () => expect(await listDeadLetters(bus.broker, 5)).toHaveLength(1))
  const [first] = await listDeadLetters(bus.broker, 5)
  expect(await replayDeadLetter(bus.broker, 1)).toMatchObject({ ok: true })
  await eventually(async () => expect(await listDeadLetters(bus.broker, 5)).toMatchObject([{ seq: 2 }]))
  const [again] = await listDeadLetters(bus.broker, 5)
  expect(again).toMatchObject({ original_subject: first?.original_subject, received_at: first?.received_at })
  expect(await replayDeadLetter(bus.broker, 2)).toMatchObject({ ok: true })
  await eventually(() => expect(handled).toHaveLength(1))
  await stop()
  expect(handled[0]).toMatchObject({ receivedAt: Date.parse(first?.received_at ?? '') })
})

test('a replayed event keeps its first time, so that a newer webhook does not receive it', async ({
  bus,
}) => {
  const place = { stream: 'EVENTS', consumer: 'webhook-dispatcher-events', subject: 'events.asset-moved.7' }
  await keep(bus, place)
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'EVENTS 1' })
  const { handled, stop } = consuming(bus, 'webhook-dispatcher-events')
  await eventually(() => expect(handled).toMatchObject([{ subject: place.subject, receivedAt: FIRST }]))
  await stop()
})

test('a replay that stopped before the letter was removed stores the message once', async ({ bus }) => {
  const event = { stream: 'EVENTS', consumer: 'webhook-dispatcher-events', subject: 'events.asset-moved.7' }
  await keep(bus, event)
  const nc = natsOf(bus.broker)
  const letter = await findDeadLetter(bus.broker, 1)
  expect(await replayDeadLetter(bus.broker, 1)).toMatchObject({ ok: true })
  const jsm = await nc.jetstreamManager()
  const stored = await jsm.streams.getMessage('EVENTS', { seq: 1 })
  // The same letter in the same place, as if it had not been removed.
  await recreateStream(bus.broker, 'DEAD')
  const headers = Object.entries(letter?.headers ?? {}).filter(([name]) => name !== 'nats-msg-id')
  await publish(bus.broker, {
    subject: 'dead.7.EVENTS.webhook-dispatcher-events',
    payload: letter?.payload,
    headers: Object.fromEntries(headers),
  })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: `EVENTS ${stored.seq}` })
  expect([await total(bus, 'EVENTS'), await total(bus, 'DEAD')]).toEqual([1, 0])
})

test('a scan is replayed even if a reader has used the id of its replay: SCANS ignores ids', async ({
  bus,
}) => {
  await keep(bus)
  const letter = await findDeadLetter(bus.broker, 1)
  await publish(bus.broker, {
    subject: 'scans.8.evil.canonical',
    payload: {},
    msgId: `replay.1.${letter?.buried_at}`,
  })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'SCANS 2' })
})

test('a state is replayed only while it is the newest of its subject', async ({ bus }) => {
  await keepState(bus, { revision: 1 })
  expect(await replayDeadLetter(bus.broker, 1)).toMatchObject({ ok: true })
  await keepState(bus, { revision: 2 })
  await publish(bus.broker, { subject: STATE, payload: { revision: 3 } })
  const refused = await replayDeadLetter(bus.broker, 2)
  expect(refused).toEqual({ ok: false, reason: expect.stringContaining('outdated') })
  expect(await total(bus, 'DEAD')).toBe(1)
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const newest = await jsm.streams.getMessage('CATALOG', { last_by_subj: STATE })
  expect(newest.json()).toEqual({ revision: 3 })
})

test('a state that failed again after its replay can be replayed, because it is still the newest', async ({
  bus,
}) => {
  const { seq } = await publish(bus.broker, { subject: STATE, payload: { revision: 1 } })
  const place = { stream: 'CATALOG', consumer: 'tracking-catalog', streamSeq: seq, subject: STATE }
  await keep(bus, { ...place, data: Buffer.from('{"revision":1}'), receivedAt: Date.now() - 3_600_000 })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'CATALOG 2' })
})

test('a state that its stream has lost can be replayed', async ({ bus }) => {
  await keepState(bus, { revision: 1 })
  await recreateStream(bus.broker, 'CATALOG')
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'CATALOG 1' })
})

test.for([
  ['a stream that is not there', { stream: 'OTHER' }, 'there is no stream OTHER'],
  ['the dead letters themselves', { stream: 'DEAD', subject: 'dead.SCANS.x' }, 'there is no stream DEAD'],
  ['a subject of another stream', { subject: 'catalog.asset.7.9' }, 'its subject is none of SCANS'],
  [
    'a payload of which only the head is left',
    { data: Buffer.alloc(8_193) },
    'only the head of its payload was kept, and the message is gone from its stream',
  ],
] as const)(
  'a letter that cannot be replayed unchanged is refused and kept: %s',
  async ([, failed, reason], { bus }) => {
    await keep(bus, failed)
    expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: false, reason })
    expect(await total(bus, 'DEAD')).toBe(1)
  },
)

test.for([
  ['nobody', undefined],
  ['another stream', 'OTHER'],
] as const)('a letter stays when its subject is taken by %s', async ([, name], { bus }) => {
  await keep(bus)
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.delete('SCANS')
  if (name) await jsm.streams.add({ name, subjects: ['scans.>'] })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: false, reason: expect.any(String) })
  expect(await total(bus, 'DEAD')).toBe(1)
})

test('a replayed message that the broker gives up is kept with its first subject and time', async ({
  bus,
}) => {
  await keep(bus, { streamSeq: 99 })
  await replayDeadLetter(bus.broker, 1)
  const stop = deadLetterExhausted(bus.broker, {
    stream: 'SCANS',
    durable: 'tracking-ingest',
    deadLetters: bus.broker,
    logger: bus.logger,
  })
  const durable = await natsOf(bus.broker).jetstream().consumers.get('SCANS', 'tracking-ingest')
  for (let delivery = 1; delivery <= MAX_DELIVER; delivery += 1)
    (await durable.next({ expires: 5_000 }))?.nak()
  await durable.next({ expires: 1_000 }) // nothing comes: the broker notices its limit on the next request
  const kept = { original_subject: 'scans.7.dock-1.canonical', received_at: new Date(FIRST).toISOString() }
  await vi.waitFor(async () => expect(await listDeadLetters(bus.broker, 9)).toMatchObject([kept]), 5_000)
  stop()
})

test('a dead letter keeps the head of a large message, and a replay takes the whole from its stream', async ({
  bus,
}) => {
  const data = Buffer.alloc(20_000, 'x')
  const subject = 'scans.7.dock-1.canonical'
  const { seq } = await publish(bus.broker, { subject, payload: data })
  await keep(bus, { subject, data, streamSeq: seq })
  const [letter] = await listDeadLetters(bus.broker, 1)
  expect(letter).toMatchObject({ truncated: true, payload: { length: 8_192 } })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: true, storedAs: 'SCANS 2' })
  const jsm = await natsOf(bus.broker).jetstreamManager()
  expect((await jsm.streams.getMessage('SCANS', { seq: 2 })).data).toHaveLength(data.length)
})

test('a letter is refused if its place in the stream now has another message', async ({ bus }) => {
  const { seq } = await publish(bus.broker, { subject: 'scans.7.dock-1.canonical', payload: 'another' })
  await keep(bus, { data: Buffer.alloc(20_000, 'x'), streamSeq: seq })
  expect(await replayDeadLetter(bus.broker, 1)).toMatchObject({ ok: false })
})

test('an organization keeps its newest 100 dead letters and does not evict those of others', async ({
  bus,
}) => {
  await keep(bus, { subject: 'scans.7.dock-1.canonical' })
  for (let n = 0; n < 120; n += 1)
    await keep(bus, { subject: `scans.8.r${n}.canonical`, streamSeq: 1_000 + n })
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const { state } = await jsm.streams.info('DEAD', { subjects_filter: 'dead.>' })
  expect(state.subjects).toEqual({
    'dead.7.SCANS.tracking-ingest': 1,
    'dead.8.SCANS.tracking-ingest': 100,
  })
  const { letters } = await readDeadLetters(bus.broker, { fromSeq: 1, limit: 1_000 })
  expect(letters).toHaveLength(101)
})

test('dead letters of an older release are listed too', async ({ bus }) => {
  await publish(bus.broker, { subject: 'dead.SCANS.tracking-ingest', payload: 'x', headers: { reason: 'r' } })
  await keep(bus)
  const { letters } = await readDeadLetters(bus.broker, { stream: 'SCANS', fromSeq: 1, limit: 9 })
  expect(letters.map(({ stream, durable }) => `${stream} ${durable}`)).toEqual([
    'SCANS tracking-ingest',
    'SCANS tracking-ingest',
  ])
})

test('a letter is removed without a replay, and removing it again succeeds', async ({ bus }) => {
  await keep(bus)
  expect(await removeDeadLetter(bus.broker, 1)).toEqual({ ok: true })
  expect(await removeDeadLetter(bus.broker, 1)).toEqual({ ok: true })
  expect(await replayDeadLetter(bus.broker, 1)).toEqual({ ok: false, reason: 'there is no such dead letter' })
  expect([await total(bus, 'SCANS'), await total(bus, 'DEAD')]).toEqual([0, 0])
})

test('pages have all fields but the payload, and can be filtered by stream and durable', async ({ bus }) => {
  await keep(bus)
  await keep(bus, {
    stream: 'EVENTS',
    consumer: 'webhook-dispatcher-events',
    subject: 'events.asset-moved.7',
  })
  await keep(bus, { streamSeq: 2, subject: 'scans.7.d 1.x%', data: Buffer.alloc(300) })
  expect(await deadLetterExtent(bus.broker)).toEqual({ firstSeq: 1, lastSeq: 3, total: 3 })
  const page = await readDeadLetters(bus.broker, { stream: 'SCANS', fromSeq: 1, limit: 1 })
  expect(page).toMatchObject({ letters: [{ seq: 1, size: 12, request_id: '01REQUEST' }], left: 1 })
  expect(page.letters[0]).not.toHaveProperty('payload')
  const rest = await readDeadLetters(bus.broker, { durable: 'tracking-ingest', fromSeq: 2, limit: 10 })
  expect(rest).toMatchObject({
    letters: [{ seq: 3, size: 300, original_subject: 'scans.7.d 1.x%' }],
    left: 0,
  })
  const none = await readDeadLetters(bus.broker, { stream: 'CATALOG', fromSeq: 1, limit: 10 })
  expect(none).toEqual({ letters: [], left: 0 })
})

test('a malformed message that was put into the stream by hand is listed and not replayed', async ({
  bus,
}) => {
  const headers = { original_subject: '%E0%A4%A' }
  await publish(bus.broker, { subject: 'dead.SCANS.tracking-ingest', payload: 'x', headers })
  expect(await listDeadLetters(bus.broker, 5)).toMatchObject([{ seq: 1, original_subject: '%E0%A4%A' }])
  expect(await replayDeadLetter(bus.broker, 1)).toMatchObject({ ok: false })
})

test('a missing stream is an error, unlike a missing letter', async ({ bus }) => {
  await recreateStream(bus.broker, 'DEAD')
  expect(await findDeadLetter(bus.broker, 1)).toBeUndefined()
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.delete('DEAD')
  await expect(findDeadLetter(bus.broker, 1)).rejects.toThrow()
})

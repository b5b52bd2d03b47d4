import { expect, inject } from 'vitest'
import { differences, ownSubjects } from './support/differences.ts'
import { settled, test as base } from './support/walls.fixture.ts'
import type { RawNats } from './support/raw-nats.ts'
import { BROKER_SUBJECTS, listenedTo, repliesTo } from './support/reply-table.ts'
import { startSpy } from './support/spy.ts'

/**
 * S1, R1: a client that may publish can name any reply subject, and the broker replies there with its own rights. The
 * table comes from the streams, consumers, subjects and subscriptions of the running broker, so it includes streams
 * that are added later.
 */
const test = base
  .extend('spy', { scope: 'file' }, async ({ watcher }, { onCleanup }) => {
    const spy = startSpy(watcher.app)
    onCleanup(() => spy.stop())
    await watcher.app.flush()
    return spy
  })
  /** B publishes an allowed message with each reply subject. Resolves when the broker has replied to all of them. */
  .extend('publishWithReplies', ({ attacker, victim, reader }) => async (replies: readonly string[]) => {
    const raw = await reader()
    const subject = `scans.${attacker.org.id}.walls.canonical`
    const read = { tag: { type: 'barcode', value: victim.asset.tagValue }, antenna: 1 }
    const payload = JSON.stringify({ reads: [read] })
    const inbox = `_INBOX.${attacker.readerKey.clientId}.walls`
    raw.subscribe(inbox, '1')
    raw.publish(...[...replies, inbox].map((reply) => ({ subject, reply, payload })))
    await lastReply(raw, inbox)
  })

/** Waits for the last reply: a stream replies in the order of the messages. */
async function lastReply(raw: RawNats, inbox: string): Promise<void> {
  await raw.flush()
  await expect.poll(() => raw.heard, { timeout: 5_000 }).toContain(inbox)
}

test('S1 every stream is in the table', async ({ before }) => {
  expect(before.streams.map(({ name }) => name).toSorted()).toEqual(inject('streams').toSorted())
  expect(inject('streams')).toEqual(
    expect.arrayContaining(['SCANS', 'CATALOG', 'KEYS', 'EVENTS', 'DEAD', '$MQTT_msgs']),
  )
})

test.for(inject('streams'))(
  'S1 no reply subject reaches the stream %s',
  async (name, { before, publishWithReplies, spy, victim, attacker, watcher, rows }) => {
    const stream = before.streams.find((one) => one.name === name)
    if (!stream) throw new Error(`${name} was not recorded`)
    const own = ownSubjects(attacker.org.id)
    const replies = repliesTo(stream, victim).filter((subject) => !own.isOwn(subject))
    expect(replies.length).toBeGreaterThan(15)
    const streams = await watcher.streams()
    await publishWithReplies(replies)
    await settled(watcher, rows)
    expect(await differences(watcher, streams, own)).toEqual([])
    expect(await spy.acknowledgedOn(replies)).toEqual([])
  },
)

test('S1 no reply subject reaches a service, or the broker itself', async ({
  before,
  publishWithReplies,
  spy,
  unchanged,
}) => {
  const listened = await listenedTo()
  expect(listened).toEqual(expect.arrayContaining(['rpc.catalog.lookup', 'rpc.tracking.place-asset']))
  const replies = [...BROKER_SUBJECTS, ...listened]
  await publishWithReplies(replies)
  expect(await spy.acknowledgedOn(replies)).toEqual([])
  await unchanged(before)
})

test('R1 no reply subject acts as a reader of another organization', async ({
  api,
  victim,
  before,
  publishWithReplies,
  watcher,
  rows,
}) => {
  expect(before).toBeDefined()
  await publishWithReplies([
    `scans.${victim.org.id}.phantom.canonical`,
    `scans.${victim.org.id}.phantom.mapping`,
  ])
  await settled(watcher, rows)
  const { data } = (await api.call('listReaders', { token: victim.org.admin, query: { configured: false } }))
    .body
  expect(data.map(({ reader_key }) => reader_key)).toEqual([])
})

test('S1 at the end the other organization is unchanged', async ({ before, unchanged, sameView }) => {
  await unchanged(before)
  await sameView(before)
})

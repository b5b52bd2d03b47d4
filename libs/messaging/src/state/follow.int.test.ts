import { eventually } from '@whereabouts/testing/eventually'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { recreateStream } from '@whereabouts/testing/broker/streams'
import { natsOf, type Broker } from '../connect/connection.ts'
import { followStream, type FollowOptions } from './follow.ts'
import { immediatePublish, publishMany } from '../messages/publish.ts'
import { respond } from '../messages/request.ts'
import { applyTopology } from '../connect/topology.ts'

const key = (id: number, revision: number) => ({ subject: `keys.key.${id}`, payload: { id, revision } })

async function put(broker: Broker, states: readonly ReturnType<typeof key>[]): Promise<void> {
  const results = await publishMany(broker, states)
  expect(results.every(({ ok }) => ok)).toBe(true)
}

/** A view like that of a service: subject → last state. */
function follow(bus: Bus, options: Partial<FollowOptions> = {}) {
  const view = new Map<string, unknown>()
  const follower = followStream(bus.broker, {
    stream: 'KEYS',
    onState: (subject, payload) => void view.set(subject, payload),
    onReset: () => view.clear(),
    logger: bus.logger,
    ...options,
  })
  return { view, follower }
}

test('a follower of an empty stream is caught up at once', async ({ bus }) => {
  const { follower } = follow(bus)
  await follower.caughtUp
  expect(follower.isCaughtUp()).toBe(true)
  expect(follower.lastSeq()).toBe(0)
  await follower.stop()
})

test('caughtUp resolves when all states of the stream are applied, and later changes follow', async ({
  bus,
}) => {
  await put(
    bus.broker,
    Array.from({ length: 5_000 }, (_, id) => key(id, 1)),
  )
  await put(bus.broker, [key(7, 2)])
  const { follower, view } = follow(bus)
  expect(follower.isCaughtUp()).toBe(false)
  await follower.caughtUp
  expect(view.size).toBe(5_000)
  expect(view.get('keys.key.7')).toEqual({ id: 7, revision: 2 })
  expect(follower.progress()).toEqual({ applied: 5_000, skipped: 0, pending: 0 })
  await put(bus.broker, [key(7, 3)])
  await eventually(() => expect(view.get('keys.key.7')).toEqual({ id: 7, revision: 3 }))
  expect(follower.lastSeq()).toBe(5_002)
  await follower.stop()
})

test('an immediate follower applies states at once, even while no stream can store them', async ({ bus }) => {
  await put(bus.broker, [key(1, 1)])
  const { follower, view } = follow(bus, { immediate: true, filter: 'keys.key.>' })
  const stored = follow(bus)
  await Promise.all([follower.caughtUp, stored.follower.caughtUp])
  await natsOf(bus.broker).jetstreamManager().then((jsm) => jsm.streams.delete('KEYS')) // oxfmt-ignore
  const row = { ...key(1, 2), msg_id: 'later', headers: {}, age: 0 }
  expect(await immediatePublish(bus.broker, bus.logger)([row])).toEqual([false])
  await eventually(() => expect(view.get('keys.key.1')).toEqual({ id: 1, revision: 2 }))
  expect(stored.view.get('keys.key.1')).toEqual({ id: 1, revision: 1 })
  await Promise.all([follower.stop(), stored.follower.stop()])
})

test('a filter leaves the rest of the stream out', async ({ bus }) => {
  await put(bus.broker, [key(1, 1), { subject: 'keys.org.1', payload: { id: 1, revision: 2 } }])
  const { follower, view } = follow(bus, { filter: 'keys.org.>' })
  await follower.caughtUp
  expect([...view.keys()]).toEqual(['keys.org.1'])
  await follower.stop()
})

test('from now: the content of the stream is skipped, also after it was re-created', async ({ bus }) => {
  await put(bus.broker, [key(1, 1), key(2, 1)])
  let resets = 0
  const seen: string[] = []
  const { follower } = follow(bus, {
    from: 'now',
    onState: (subject) => void seen.push(subject),
    onReset: () => void (resets += 1),
  })
  await follower.caughtUp
  expect([seen, follower.lastSeq()]).toEqual([[], 2])
  await put(bus.broker, [key(3, 1)])
  await eventually(() => expect(seen).toEqual(['keys.key.3']))
  const created = follower.streamCreated()
  await recreateStream(bus.broker, 'KEYS')
  await vi.waitFor(() => expect(resets).toBe(1), 15_000)
  expect(follower.streamCreated()).not.toBe(created)
  await put(bus.broker, [key(4, 1)])
  await eventually(() => expect(seen).toEqual(['keys.key.3', 'keys.key.4']))
  await follower.stop()
})

const OWNER = 'rpc.test.republish-state'

/** Counts of unreadable states. */
function counted() {
  const counts = { found: 0, remaining: 0 }
  const stateMetrics = {
    found: () => void (counts.found += 1),
    remaining: (count: number) => void (counts.remaining = count),
  }
  return { counts, stateMetrics }
}

test('the owner of an unreadable state is asked until it has published the state again', async ({ bus }) => {
  await put(bus.broker, [key(1, 1)])
  const { counts, stateMetrics } = counted()
  const unreadable: string[] = []
  const onUnreadable = (subject: string) => void unreadable.push(subject)
  const { follower, view } = follow(bus, { owner: OWNER, stateMetrics, onUnreadable })
  await follower.caughtUp
  await publishMany(bus.broker, [{ subject: 'keys.key.1', payload: Buffer.from('{') }])
  await eventually(() => expect(counts).toEqual({ found: 1, remaining: 1 }))
  expect(unreadable).toEqual(['keys.key.1'])
  expect(view.get('keys.key.1')).toEqual({ id: 1, revision: 1 }) // the last readable state
  const asked: unknown[] = []
  const republish = async (payload: unknown) => {
    asked.push(payload)
    await put(bus.broker, [key(1, 2)])
    return { published: true }
  }
  const owner = respond(bus.broker, OWNER, 'owner', republish, { logger: bus.logger })
  await vi.waitFor(() => expect(view.get('keys.key.1')).toEqual({ id: 1, revision: 2 }), 10_000)
  await eventually(() => expect(counts).toEqual({ found: 1, remaining: 0 }))
  expect(asked[0]).toEqual({ subject: 'keys.key.1' })
  await Promise.all([owner.stop(), follower.stop()])
})

test('a state that was unreadable from the start is replaced, and a re-created stream starts without any', async ({
  bus,
}) => {
  const { counts, stateMetrics } = counted()
  await publishMany(bus.broker, [{ subject: 'keys.key.1', payload: Buffer.from('{') }])
  const { follower } = follow(bus, { stateMetrics })
  await follower.caughtUp
  expect(counts).toEqual({ found: 1, remaining: 1 })
  await put(bus.broker, [key(1, 2)]) // like `npm run republish`
  await eventually(() => expect(counts.remaining).toBe(0))
  await publishMany(bus.broker, [{ subject: 'keys.key.2', payload: Buffer.from('{') }])
  await eventually(() => expect(counts).toEqual({ found: 2, remaining: 1 }))
  await recreateStream(bus.broker, 'KEYS')
  await vi.waitFor(() => expect(counts).toEqual({ found: 2, remaining: 0 }), 15_000)
  await follower.stop()
})

test('a state that cannot be applied is logged and skipped, and the next one is applied', async ({ bus }) => {
  const broken = { subject: 'keys.key.1', payload: Buffer.from('{') }
  await publishMany(bus.broker, [broken, key(2, 1), key(3, 1)])
  const seen: string[] = []
  const { follower } = follow(bus, {
    onState(subject) {
      if (subject === 'keys.key.2') throw new Error('two')
      seen.push(subject)
    },
  })
  await follower.caughtUp
  expect(seen).toEqual(['keys.key.3'])
  expect(follower.progress()).toEqual({ applied: 1, skipped: 2, pending: 0 })
  expect(bus.log.filter(({ text }) => text === 'state could not be applied')).toHaveLength(2)
  await follower.stop()
})

test('nothing is missed when the broker is killed and restarted', async ({ bus }) => {
  await put(bus.broker, [key(1, 1), key(2, 1)])
  const { follower, view } = follow(bus)
  await follower.caughtUp
  await bus.server.kill()
  await bus.server.restart()
  const writer = await bus.connect()
  await put(writer, [key(1, 2), key(3, 1)]) // most likely before the follower reconnects
  await vi.waitFor(
    () =>
      expect(Object.fromEntries(view)).toMatchObject({
        'keys.key.1': { revision: 2 },
        'keys.key.2': { revision: 1 },
        'keys.key.3': { revision: 1 },
      }),
    15_000,
  )
  await follower.stop()
})

test('nothing is missed when the broker removes the consumer', async ({ bus }) => {
  await put(bus.broker, [key(1, 1)])
  const { follower, view } = follow(bus)
  await follower.caughtUp
  const jsm = await natsOf(bus.broker).jetstreamManager()
  for (const { name } of await jsm.consumers.list('KEYS').next()) await jsm.consumers.delete('KEYS', name)
  await put(bus.broker, [key(1, 2), key(2, 1)])
  await vi.waitFor(() => expect([...view.values()]).toMatchObject([{ revision: 2 }, { id: 2 }]), 15_000)
  await follower.stop()
})

test('a re-created stream is read from its start, and the old view is dropped', async ({ bus }) => {
  await put(bus.broker, [key(1, 1), key(2, 1), key(3, 1)])
  const { follower, view } = follow(bus)
  await follower.caughtUp
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.delete('KEYS')
  await applyTopology(bus.brokers)
  await put(bus.broker, [key(9, 1)])
  await vi.waitFor(() => expect([...view.keys()]).toEqual(['keys.key.9']), 15_000)
  expect(follower.isCaughtUp()).toBe(true)
  await follower.stop()
})

test('a follower that starts before the stream exists waits for it', async ({ bus }) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  await jsm.streams.delete('KEYS')
  const { follower, view } = follow(bus)
  await eventually(() =>
    expect(bus.log.some(({ text }) => text.includes('cannot be followed yet'))).toBe(true),
  )
  await applyTopology(bus.brokers)
  await follower.caughtUp
  await put(bus.broker, [key(1, 1)])
  await eventually(() => expect(view.size).toBe(1))
  await follower.stop()
})

test('a stopped follower applies nothing more and leaves no consumer behind', async ({ bus }) => {
  const jsm = await natsOf(bus.broker).jetstreamManager()
  const consumers = async () => (await jsm.streams.info('KEYS')).state.consumer_count
  const before = await consumers()
  const { follower, view } = follow(bus)
  await follower.caughtUp
  await follower.stop()
  await put(bus.broker, [key(1, 1)])
  await eventually(async () => expect(await consumers()).toBe(before))
  expect(view.size).toBe(0)
})
